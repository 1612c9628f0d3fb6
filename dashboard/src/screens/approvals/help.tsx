import { Kbd, Stack, Switch, Text } from '@mantine/core';
import { Modal } from '../../parts/display/windows.js';

interface Props {
  opened: boolean;
  onClose: () => void;
  hasKeys: boolean;
  onKeys: (on: boolean) => void;
}

export default function Help({ opened, onClose, hasKeys, onKeys }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Help with approvals">
      <Stack gap="sm">
        <Text size="sm">
          Payments that expire soonest come first. A payment without a decision expires unpaid, and the money
          it holds is released.
        </Text>
        <Text size="sm">
          Select several and approve them at once, or approve as many as a sum allows. A decision is final.
        </Text>
        <dl className="facts">
          <dt>Approve the payment shown</dt>
          <dd>
            <Kbd>A</Kbd>
          </dd>
          <dt>Deny it, after a note</dt>
          <dd>
            <Kbd>D</Kbd>
          </dd>
        </dl>
        <Switch
          label="Use these keys"
          description="On a wide screen, and not while you type. Kept in this browser."
          checked={hasKeys}
          onChange={({ currentTarget: { checked } }) => onKeys(checked)}
        />
      </Stack>
    </Modal>
  );
}
