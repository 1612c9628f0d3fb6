import { Button } from '@mantine/core';
import { csvOf } from '../../api/calls.js';
import { DownloadIcon } from '../../parts/icons.js';

/** All of a list as a file, which the API streams. */
export function Download({ walletId, what }: { walletId: string; what: 'transactions' | 'ledgers' }) {
  return (
    <Button
      component="a"
      href={csvOf(walletId, what)}
      download
      variant="default"
      size="xs"
      leftSection={<DownloadIcon size={14} />}
    >
      CSV
    </Button>
  );
}
