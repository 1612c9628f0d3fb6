import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from '@playwright/test';
import { installSdk } from '../support/sdk-package.js';
import { fund, signUp, test } from './accounts.js';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const { PATH = '' } = process.env;

interface McpSettings<Server> {
  readonly mcpServers: Readonly<Record<string, Server>>;
}

async function payOverMcp(transport: Transport, amount: number): Promise<unknown> {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  await client.connect(transport);
  const payment = {
    purchaseId: randomUUID(),
    amount,
    merchantName: "Mama T's Kitchen",
    recipientAccountNo: '0123456789',
    recipientBankCode: '058',
  };
  const { structuredContent } = await client.callTool({ name: 'make_payment', arguments: payment });
  await client.close();
  return (structuredContent as { payment?: { decision: string } }).payment?.decision ?? structuredContent;
}

test('what a new wallet gives to paste pays as it stands: by curl, the SDK and both kinds of MCP clients', async ({
  page,
}, { outputDir }) => {
  await signUp(page);
  await page.goto('/wallets/new');
  await page.getByLabel('Name').fill('Kitchen agent');
  await page.getByRole('switch', { name: 'Restrict to specific merchants' }).click();
  await page.getByRole('combobox', { name: 'Merchants' }).fill("Mama T's Kitchen");
  await page.getByRole('combobox', { name: 'Merchants' }).press('Enter');
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect(page.getByRole('heading', { name: 'Kitchen agent is ready' })).toBeVisible();
  const key = await page.locator('pre[aria-label="API key"]').innerText();
  const home = await page.getByRole('link', { name: /open the wallet/ }).getAttribute('href');
  const id = home!.split('/').at(-1)!;
  await fund({ id, key }, 50_000);

  const snippet = async (kind: string, name: string) => {
    await page.getByRole('radiogroup', { name: 'Made for' }).getByText(kind, { exact: true }).click();
    return page.locator(`pre[aria-label="${name}"]`).innerText();
  };
  const decided: unknown[] = [];

  // Not every machine that runs tests has curl.
  if (await run('sh', ['-c', 'command -v curl']).then(Boolean, () => false)) {
    const curl = await run('sh', ['-c', `${await snippet('curl', 'command')} --silent`], { env: { PATH } });
    const { data } = JSON.parse(curl.stdout) as { data?: { transaction: { decision: string } } };
    expect(data?.transaction.decision, curl.stdout).toBe('approved');
  }

  await installSdk(outputDir);
  await writeFile(join(outputDir, 'pay.mts'), await snippet('TypeScript', 'code'));
  const bySdk = await run(process.execPath, [join(outputDir, 'pay.mts')], { env: { PATH } });
  decided.push(bySdk.stdout.trim());

  const http = JSON.parse(await snippet('MCP', 'settings')) as McpSettings<{
    type: string;
    url: string;
    headers: Record<string, string>;
  }>;
  const [byHttp] = Object.values(http.mcpServers);
  const requestInit = { headers: byHttp!.headers };
  decided.push(
    byHttp!.type,
    await payOverMcp(new StreamableHTTPClientTransport(new URL(byHttp!.url), { requestInit }), 3_000),
  );

  const desktop = JSON.parse(await snippet('Desktop', 'settings')) as McpSettings<{
    command: string;
    env: Record<string, string>;
  }>;
  const [{ command, env } = { command: '', env: {} }] = Object.values(desktop.mcpServers);
  decided.push(command);
  // As npm would link the command.
  const program = join(ROOT, 'dist', 'src', 'wallet-mcp.js');
  const args = { command: process.execPath, args: [program], env: { PATH, ...env } };
  decided.push(await payOverMcp(new StdioClientTransport(args), 4_000));

  expect(decided).toEqual(['approved', 'http', 'approved', 'wallet-mcp', 'approved']);
});
