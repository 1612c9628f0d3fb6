import { Stack, Text } from '@mantine/core';
import { examplePayment } from '../example-payment.js';
import type { Wallet } from '../api/types.js';
import { Code } from './copy.js';

type ForWallet = Pick<Wallet, 'id' | 'spendLimitPerTx' | 'useAllowlist' | 'merchantAllowlist'>;

/** How an agent pays from this wallet, ready to paste. */
export function Snippets({ wallet, apiKey }: { wallet: ForWallet; apiKey: string }) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        A payment within this wallet’s rules. Amounts are in kobo: 100 kobo are ₦1.
      </Text>
      <Code value={curlOf(wallet, apiKey)} name="command" />
    </Stack>
  );
}

function curlOf(wallet: ForWallet, key: string): string {
  return [
    `curl -X POST ${window.location.origin}/api/payment-intent \\`,
    `  -H 'x-api-key: ${key || '<API key>'}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H "idempotency-key: $(uuidgen)" \\`,
    // A quote in a merchant's name would end the argument.
    `  -d '${JSON.stringify(examplePayment(wallet), null, 2).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}
