import { ActionIcon, Menu, Text } from '@mantine/core';
import { useBankNames } from '../../text/banks.js';
import { Link } from 'react-router';
import type { WalletKey } from '../../api/types.js';
import { MoreIcon } from '../../parts/display/icons.js';
import { Moment } from '../../parts/display/moment.js';
import { Cell, Row, What } from '../../parts/lists/rows.js';
import { Tag } from '../../parts/display/tag.js';
import { limitsInWords, nameOfKey, requiredInWords } from '../../wallet/key-words.js';
import type { Action } from './key-dialogs.js';
import { useMay } from '../../session/session.js';
import { refusalOf } from '../../session/permissions.js';

const STATUSES = {
  active: { name: 'Active', tone: 'good' },
  expired: { name: 'Expired', tone: 'calm' },
  revoked: { name: 'Revoked', tone: 'calm' },
} as const;

/** Ended keys and closed wallets allow only a view of payments. */
export function KeyRow({ apiKey, onAct }: { apiKey: WalletKey; onAct?: (action: Action) => void }) {
  const { keyPrefix, expiresAt, revokedAt, lastUsedAt, status } = apiKey;
  const bankName = useBankNames();
  const said = [apiKey.purpose, ...limitsInWords(apiKey, bankName), requiredInWords(apiKey)].filter(Boolean);
  const ended = revokedAt ?? (status === 'expired' ? expiresAt : null);
  return (
    <Row>
      <What
        name={
          <>
            {nameOfKey(apiKey)}
            {said.length > 0 && (
              <Text size="xs" c="dimmed" fw={400} className="wrap key-limits">
                {said.join(' · ')}
              </Text>
            )}
          </>
        }
        more={
          <>
            <span className="mono">{keyPrefix}…</span>
            {ended ? (
              <>
                {' '}
                · ended <Moment at={ended} />
              </>
            ) : (
              expiresAt && (
                <>
                  {' '}
                  · until <Moment at={expiresAt} />
                </>
              )
            )}
          </>
        }
      />
      <Cell className="status">
        {status === 'active' && !onAct ? (
          <Tag tone="calm">Wallet closed</Tag>
        ) : (
          <Tag tone={STATUSES[status].tone}>{STATUSES[status].name}</Tag>
        )}
      </Cell>
      <Cell className="when small">
        {lastUsedAt ? (
          <>
            Used <Moment at={lastUsedAt} />
          </>
        ) : (
          'Never used'
        )}
      </Cell>
      <Cell className="end menu">
        <Actions apiKey={apiKey} {...(onAct && { onAct })} />
      </Cell>
    </Row>
  );
}

function Actions({ apiKey, onAct }: { apiKey: WalletKey; onAct?: (action: Action) => void }) {
  const mayManage = useMay('keys.manage');
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={`Actions for the key ${nameOfKey(apiKey)}`}
        >
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={`/wallets/${apiKey.walletId}?key=${apiKey.id}`} preventScrollReset>
          Payments of this key
        </Menu.Item>
        {onAct && (
          <>
            {!mayManage && <Menu.Label>{refusalOf('keys.manage')}</Menu.Label>}
            <Menu.Item disabled={!mayManage} onClick={() => onAct({ kind: 'rename', key: apiKey })}>
              Rename
            </Menu.Item>
            <Menu.Item disabled={!mayManage} onClick={() => onAct({ kind: 'rotate', key: apiKey })}>
              Rotate
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              className="destructive"
              disabled={!mayManage}
              onClick={() => onAct({ kind: 'revoke', key: apiKey })}
            >
              Revoke
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
