import { Button, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { receiptOf } from '../../api/receipts.js';
import { Refused } from '../../parts/loading/failure.js';
import { DownloadIcon } from '../../parts/display/icons.js';
import { saveFile } from '../../parts/display/save-file.js';

const HOW_TO_VERIFY = '/docs#/payments/getReceipt';

/** The signed proof of what was decided, as a file. */
export function Receipt({ paymentId }: { paymentId: string }) {
  const download = useMutation({
    mutationFn: () => receiptOf(paymentId),
    onSuccess: (receipt) => saveFile(`${paymentId}.jws`, receipt, 'application/jose'),
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
