import {
  ActionIcon,
  Badge,
  Box,
  Button,
  CopyButton,
  Group,
  Paper,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { Wallet } from '../api/types.js';
import { naira } from '../money.js';
import { dayAndTime } from '../time.js';
import { CheckIcon, CopyIcon } from './icons.js';

/** An amount, in naira. */
export function Money({ kobo, bold }: { kobo: number; bold?: boolean }) {
  return (
    <Text span inherit className="money" {...(bold && { fw: 600 })}>
      {naira(kobo)}
    </Text>
  );
}

/** A moment in the viewer's zone; the exact instant shows on hover. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at} className="tabular">
      {dayAndTime(at)}
    </time>
  );
}

/** A titled card. */
export function Card({
  title,
  aside,
  children,
  flush,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
  flush?: boolean;
}) {
  const id = useId();
  return (
    <Paper component="section" withBorder aria-labelledby={id} style={{ overflow: 'hidden' }}>
      <Group justify="space-between" px="md" pt="sm" pb={flush ? 'sm' : 0} gap="xs" mih={44}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {flush ? (
        <Box style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>{children}</Box>
      ) : (
        <Box p="md" pt="xs">
          {children}
        </Box>
      )}
    </Paper>
  );
}

/** One number that matters, with what it means. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="div" fz={{ base: 22, sm: 26 }} fw={650} lh={1.35} className="money">
        {value}
      </Text>
      <Text component="div" size="xs" c="dimmed" mih={18}>
        {note}
      </Text>
    </Paper>
  );
}

/** What to do where there is nothing yet. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap={6} py="xl" px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" maw={440}>
        {children}
      </Text>
      {action && <Box mt="xs">{action}</Box>}
    </Stack>
  );
}

/** A small button that copies `value`; `name` says what that is. */
export function Copy({ value, name }: { value: string; name: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
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
      <CopyButton value={value} timeout={2_000}>
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

export function Tag({ tone, children }: { tone: 'good' | 'bad' | 'wait' | 'calm'; children: ReactNode }) {
  return (
    <Badge className={`tag ${tone}`} tt="none" fw={600} radius="sm">
      {children}
    </Badge>
  );
}

export function DecisionTag({ decision }: { decision: string }) {
  return (
    <Tag tone={decision === 'approved' ? 'good' : 'bad'}>
      {decision === 'approved' ? 'Approved' : 'Blocked'}
    </Tag>
  );
}

/** Whether a wallet pays, in a word. */
export function WalletTag({ wallet }: { wallet: Wallet }) {
  if (wallet.status !== 'ACTIVE') return <Tag tone="bad">{wallet.status.toLowerCase()}</Tag>;
  if (new Date(wallet.expiry) <= new Date()) return <Tag tone="calm">Expired</Tag>;
  return <Tag tone="good">Active</Tag>;
}
