import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { NAME } from '../../look/brand.js';
import { examplePayment } from '../../payments/example-payment.js';
import type { Wallet } from '../../api/types.js';
import { Choice } from '../forms/choice.js';
import { Code } from './copy.js';

type ForWallet = Pick<Wallet, 'id' | 'spendLimitPerTx' | 'useAllowlist' | 'merchantAllowlist'>;

const KINDS = {
  curl: {
    name: 'curl',
    about: 'A payment within this wallet’s rules. Amounts are in kobo: 100 kobo are ₦1.',
    write: curlOf,
    copied: 'command',
  },
  sdk: {
    name: 'TypeScript',
    about: 'With our SDK. It retries safely: a payment with one idempotency key is made at most once.',
    write: sdkOf,
    copied: 'code',
  },
  mcp: {
    name: 'MCP',
    about:
      'For clients that reach MCP servers over HTTP. The model can then look at the wallet, ask what would pass, and pay.',
    write: mcpOf,
    copied: 'settings',
  },
  desktop: {
    name: 'Desktop',
    about:
      'For desktop clients, which start their MCP servers themselves. The wallet-mcp command comes with this service.',
    write: desktopOf,
    copied: 'settings',
  },
} as const;

type Kind = keyof typeof KINDS;

/** Code to paste, with a key if one is at hand. */
export function Snippets({ wallet, apiKey }: { wallet: ForWallet; apiKey: string }) {
  const [kind, setKind] = useState<Kind>('curl');
  const { about, write, copied } = KINDS[kind];
  return (
    <Stack gap="sm" align="stretch">
      <Choice
        label="Made for"
        value={kind}
        onChange={setKind}
        data={Object.entries(KINDS).map(([value, { name }]) => ({ value: value as Kind, label: name }))}
      />
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      <Code value={write(wallet, apiKey || '<API key>')} name={copied} />
    </Stack>
  );
}

function curlOf(wallet: ForWallet, key: string): string {
  return [
    `curl -X POST ${window.location.origin}/api/payment-intent \\`,
    `  -H 'x-api-key: ${key}' \\`,
    `  -H 'content-type: application/json' \\`,
    // Not every machine has uuidgen; without it curl would leave the header out.
    `  -H "idempotency-key: order-$(date +%s)" \\`,
    // A quote in a merchant's name would end the argument.
    `  -d '${JSON.stringify(examplePayment(wallet), null, 2).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}

function sdkOf(wallet: ForWallet, key: string): string {
  const payment = Object.entries(examplePayment(wallet)).map(
    ([name, value]) => `    ${name}: ${typeof value === 'string' ? quoted(value) : String(value)},`,
  );
  return [
    '// Install the SDK: run npm pack ./sdk in the service’s repository, then npm install that file in your project.',
    `import { WalletClient } from 'agent-payment-wallet-sdk';`,
    '',
    'const wallet = new WalletClient({',
    `  baseUrl: '${window.location.origin}',`,
    `  apiKey: '${key}',`,
    '});',
    '',
    'const payment = await wallet.pay(',
    '  {',
    ...payment,
    '  },',
    `  { idempotencyKey: 'order-1843' },`,
    ');',
    'console.log(payment.decision);',
  ].join('\n');
}

/** As a TypeScript literal, in the quotes that need no escapes. */
const quoted = (text: string) => (/['\\]/.test(text) ? JSON.stringify(text) : `'${text}'`);

function mcpOf(_: ForWallet, key: string): string {
  return serverOf({
    type: 'http',
    url: `${window.location.origin}/mcp`,
    headers: { Authorization: `Bearer ${key}` },
  });
}

function desktopOf(_: ForWallet, key: string): string {
  return serverOf({
    command: 'wallet-mcp',
    env: { WALLET_URL: window.location.origin, WALLET_KEY: key },
  });
}

const serverOf = (server: object) =>
  JSON.stringify({ mcpServers: { [NAME.toLowerCase()]: server } }, null, 2);
