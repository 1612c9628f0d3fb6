import { ActionIcon, Button, CopyButton, Group, Stack, Text, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from './icons.js';

const COPIED_SHOWN_MS = 2_000;

/** A small button that copies `value`; `name` says what that is. */
export function Copy({ value, name }: { value: string; name: string }) {
  return (
    <CopyButton value={value} timeout={COPIED_SHOWN_MS}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${name}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={copy}
            aria-label={copied ? `Copied ${name}` : `Copy ${name}`}
          >
            {copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** Text to be taken along as it is, with a button that copies it. */
export function Code({ value, name }: { value: string; name: string }) {
  return (
    <Stack gap={6}>
      <pre className="code" tabIndex={0} aria-label={name}>
        {value}
      </pre>
      <CopyButton value={value} timeout={COPIED_SHOWN_MS}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            size="xs"
            onClick={copy}
            leftSection={copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
            style={{ alignSelf: 'flex-start' }}
          >
            {copied ? 'Copied' : `Copy ${name}`}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}

/** An id, whole, with a button that copies it. */
export function CopiedId({ value, name }: { value: string; name: string }) {
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Text size="xs" className="mono">
        {value}
      </Text>
      <Copy value={value} name={name} />
    </Group>
  );
}
