import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { changeEndpoint } from '../../api/webhooks.js';
import type { Endpoint } from '../../api/types.js';
import { EndpointForm } from './endpoint-form.js';
import { Modal } from '../../parts/windows.js';

export function EditEndpoint({ endpoint, onSaved }: { endpoint: Endpoint; onSaved: () => void }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Edit
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Edit endpoint" size="lg">
        <EndpointForm
          initial={endpoint}
          submit="Save"
          onCancel={dialog.close}
          save={(settings) => changeEndpoint(endpoint.id, settings)}
          onSaved={() => {
            dialog.close();
            onSaved();
          }}
        />
      </Modal>
    </>
  );
}
