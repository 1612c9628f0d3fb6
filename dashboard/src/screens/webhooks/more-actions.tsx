import { ActionIcon, Menu } from '@mantine/core';
import { useState } from 'react';
import type { Endpoint } from '../../api/types.js';
import { MoreIcon } from '../../parts/display/icons.js';
import { DeleteEndpoint } from './delete-endpoint.js';
import { Recover } from './recover.js';
import { RotateSecret } from './rotate-secret.js';
import { useMay } from '../../session/session.js';
import { refusalOf } from '../../session/permissions.js';

type Dialog = 'rotate' | 'recover' | 'delete';

interface Props {
  endpoint: Endpoint;
  isChanging: boolean;
  onToggle: () => void;
  onDone: () => void;
}

export function MoreActions({ endpoint, isChanging, onToggle, onDone }: Props) {
  const [open, setOpen] = useState<Dialog | null>(null);
  const close = () => setOpen(null);
  const isOn = endpoint.status === 'enabled';
  const may = useMay('webhooks.manage');
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions" loading={isChanging}>
            <MoreIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!may && <Menu.Label>{refusalOf('webhooks.manage')}</Menu.Label>}
          <Menu.Item disabled={!may} onClick={onToggle}>
            {isOn ? 'Pause' : 'Resume'}
          </Menu.Item>
          <Menu.Item disabled={!may} onClick={() => setOpen('rotate')}>
            Rotate secret
          </Menu.Item>
          <Menu.Item disabled={!isOn || !may} onClick={() => setOpen('recover')}>
            Resend failed
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item className="destructive" disabled={!may} onClick={() => setOpen('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RotateSecret endpointId={endpoint.id} opened={open === 'rotate'} onClose={close} />
      <Recover endpoint={endpoint} opened={open === 'recover'} onClose={close} onDone={onDone} />
      <DeleteEndpoint endpointId={endpoint.id} opened={open === 'delete'} onClose={close} />
    </>
  );
}
