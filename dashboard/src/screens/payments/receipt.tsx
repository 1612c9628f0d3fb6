import { Button, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { receiptOf } from '../../api/receipts.js';
import { Refused } from '../../parts/loading/failure.js';
import { DownloadIcon } from '../../parts/display/icons.js';

const HOW_TO_VERIFY = '/docs#/payments/getReceipt';

const KEPT_MS = 10_000;

/** The signed proof of what was decided, as a file. */
export function Receipt({ paymentId }: { paymentId: string }) {
  const download = useMutation({
    mutationFn: () => receiptOf(paymentId),
    onSuccess: (receipt) => save(`${paymentId}.jws`, receipt),
  });
  return (
    <section aria-label="Receipt">
      <Title order={2} mb={4}>
        Receipt
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Signed proof of this decision. Anyone can check it offline with our public keys:{' '}
        <a href={HOW_TO_VERIFY}>how to verify a receipt</a>.
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<DownloadIcon size={14} />}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Download receipt
      </Button>
      <Refused error={download.error} />
    </section>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jose' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin to read it only after the click.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
