import { Button } from '@mantine/core';
import { changeEndpoint } from '../../api/webhooks.js';
import type { Endpoint } from '../../api/types.js';
import { useKeptState } from '../../parts/state/kept.js';
import { EndpointForm } from './endpoint-form.js';
import { Modal } from '../../parts/display/windows.js';
import { Allowed } from '../../parts/session/allowed.js';

export function EditEndpoint({ endpoint, onSaved }: { endpoint: Endpoint; onSaved: () => void }) {
  const [isOpen, setIsOpen] = useKeptState(`edit endpoint ${endpoint.id}`, false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Allowed act="webhooks.manage">
        <Button variant="default" onClick={() => setIsOpen(true)}>
          Edit
        </Button>
      </Allowed>
      <Modal opened={isOpen} onClose={close} title="Edit endpoint" size="lg">
        <EndpointForm
          name={`settings of endpoint ${endpoint.id}`}
          initial={endpoint}
          submit="Save"
          onCancel={close}
          save={(settings) => changeEndpoint(endpoint.id, settings)}
          onSaved={() => {
            close();
            onSaved();
          }}
        />
      </Modal>
    </>
  );
}
