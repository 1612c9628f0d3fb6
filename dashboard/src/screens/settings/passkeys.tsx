import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { hasPasskeys, type Passkey, passkeys as readPasskeys, removePasskey } from '../../api/passkeys.js';
import { queryKeys } from '../../api/query-keys.js';
import { Moment } from '../../parts/display/moment.js';
import { Modal } from '../../parts/display/windows.js';
import { Answer } from '../../parts/loading/answer.js';
import { Refused } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { toast } from '../../parts/toasts/toasts.js';
import { AddPasskey, RenamePasskey } from './passkey-forms.js';

/** The passkeys of the signed-in user. */
export function Passkeys({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const client = useQueryClient();
  const query = useQuery({ queryKey: queryKeys.passkeys, queryFn: readPasskeys });
  const [open, setOpen] = useState<'add' | Passkey | null>(null);
  const renew = () => {
    void client.invalidateQueries({ queryKey: queryKeys.passkeys });
    void client.invalidateQueries({ queryKey: queryKeys.twoFactor });
  };
  const removing = useMutation({
    mutationFn: ({ id }: Passkey) => removePasskey(id),
    onSuccess: (_, { name }) => void toast({ tone: 'info', message: `${name} is removed` }),
    onSettled: renew,
  });
  const close = () => setOpen(null);
  return (
    <Answer of={query} what="Your passkeys" loading={<BlocksLoading heights={[30]} />}>
      {({ origin, passkeys }) => (
        <>
          {passkeys.length > 0 && (
            <ul className="rows">
              {passkeys.map((passkey) => (
                <li key={passkey.id}>
                  <div className="row row-plain row-ends" style={{ paddingInline: 0 }}>
                    <div>
                      <Text size="sm" fw={500} className="wrap">
                        {passkey.name}
                      </Text>
                      <Text size="xs" c="dimmed">
                        Added <Moment at={passkey.createdAt} />
                        {' · '}
                        {passkey.lastUsedAt ? (
                          <>
                            last used <Moment at={passkey.lastUsedAt} />
                          </>
                        ) : (
                          'not used yet'
                        )}
                      </Text>
                    </div>
                    <Group gap="xs" wrap="nowrap">
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Rename ${passkey.name}`}
                        onClick={() => setOpen(passkey)}
                      >
                        Rename
                      </Button>
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Remove ${passkey.name}`}
                        loading={removing.isPending && removing.variables.id === passkey.id}
                        onClick={() => removing.mutate(passkey)}
                      >
                        Remove
                      </Button>
                    </Group>
                  </div>
                </li>
              ))}
            </ul>
          )}
          <Refused error={removing.error} />
          {origin !== window.location.origin ? (
            <Text size="sm">
              Passkeys work at <a href={`${origin}/settings`}>{origin}</a>: open the dashboard there.
            </Text>
          ) : hasPasskeys() ? (
            <Button
              size="xs"
              variant="default"
              style={{ alignSelf: 'flex-start' }}
              onClick={() => setOpen('add')}
            >
              Add a passkey
            </Button>
          ) : (
            <Text size="sm">This browser doesn’t support passkeys.</Text>
          )}
          <Modal
            opened={open !== null}
            onClose={close}
            title={open === 'add' ? 'Add a passkey' : 'Rename a passkey'}
          >
            {open === 'add' && (
              <AddPasskey
                onCancel={close}
                onAdded={({ recoveryCodes }) => {
                  close();
                  renew();
                  if (recoveryCodes) onCodes(recoveryCodes);
                }}
              />
            )}
            {open !== null && open !== 'add' && (
              <RenamePasskey
                passkey={open}
                onDone={() => {
                  close();
                  renew();
                }}
                onCancel={close}
              />
            )}
          </Modal>
        </>
      )}
    </Answer>
  );
}
