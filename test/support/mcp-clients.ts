import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AjvJsonSchemaValidator as FirstValidator } from '@modelcontextprotocol/sdk/validation/ajv';

const INFO = { name: 'tests', version: '1.0.0' };

/** What a client makes of the tools' schemas, made once for all clients: they would each compile the same ones. */
function once<Validators extends { getValidator(schema: never): unknown }>(
  validators: Validators,
): Validators {
  const made = new Map<string, unknown>();
  const make = validators.getValidator.bind(validators);
  validators.getValidator = (schema: never) => {
    const text = JSON.stringify(schema);
    const validator = made.get(text) ?? make(schema);
    made.set(text, validator);
    return validator;
  };
  return validators;
}
const VALIDATORS = once(new AjvJsonSchemaValidator());
const FIRST_VALIDATORS = once(new FirstValidator());

interface ToolPayment {
  readonly id: string;
  readonly decision: string;
}

/** What a tool answered; the client holds it against the tool's schema, so it is read here as what a test expects. */
interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent: {
    readonly wallet: object;
    readonly banks: readonly object[];
    readonly account: object;
    readonly payment: ToolPayment;
    readonly payments: readonly ToolPayment[];
    readonly replayed: boolean;
    readonly quote: object;
    readonly error: { readonly code: string };
  };
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: object | undefined;
}

/** An official client, connected. It has read the tools, so it holds each answer against the tool's schema. */
export interface McpClient {
  readonly revision: string | undefined;
  readonly tools: readonly ListedTool[];
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

type Connect = (address: string, key: string) => Promise<McpClient>;

const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

function second(mode: 'legacy' | { pin: string }): Connect {
  return async (address, key) => {
    const client = new Client(INFO, { versionNegotiation: { mode }, jsonSchemaValidator: VALIDATORS });
    await client.connect(new StreamableHTTPClientTransport(new URL(address), withKey(key)));
    return {
      revision: client.getNegotiatedProtocolVersion(),
      tools: (await client.listTools()).tools,
      call: async (name, args = {}) =>
        (await client.callTool({ name, arguments: args })) as unknown as ToolResult,
      close: () => client.close(),
    };
  };
}

const first: Connect = async (address, key) => {
  const client = new FirstClient(INFO, { jsonSchemaValidator: FIRST_VALIDATORS });
  const transport = new FirstTransport(new URL(address), withKey(key));
  await client.connect(transport);
  return {
    revision: transport.protocolVersion,
    tools: (await client.listTools()).tools,
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args })) as unknown as ToolResult,
    close: () => client.close(),
  };
};

/** The current revision, by the current client. */
export const connectCurrent: Connect = second({ pin: '2026-07-28' });

/** The official clients, each with the revision that it speaks. */
export const MCP_CLIENTS: readonly (readonly [name: string, revision: string, connect: Connect])[] = [
  ['client 2.x at 2026-07-28', '2026-07-28', connectCurrent],
  ['client 2.x at 2025-11-25', '2025-11-25', second('legacy')],
  ['SDK 1.x', '2025-11-25', first],
];
