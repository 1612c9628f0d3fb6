import { Stack, Title } from '@mantine/core';
import type { TransactionDetails } from '../../../api/types.js';
import { Files } from './files.js';
import { Labels } from './labels.js';
import { Notes } from './notes.js';

/** What members keep of a payment. */
export function Records({ payment }: { payment: TransactionDetails }) {
  const place = { walletId: payment.walletId, transactionId: payment.id };
  return (
    <section aria-label="Records">
      <Title order={2} mb="xs">
        Records
      </Title>
      <Stack gap="md">
        <Labels key={payment.id} payment={payment} />
        <Notes place={place} />
        <Files place={place} />
      </Stack>
    </section>
  );
}
