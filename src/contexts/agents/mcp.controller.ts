import {
  Controller,
  Get,
  Header,
  Headers,
  type OnModuleDestroy,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BRAND } from '../../kernel/brand.js';
import { turn } from '../../platform/batching/turns.js';
import { Config } from '../../platform/config.js';
import { Answers } from '../../platform/http/api/answers.js';
import { inAcceptedType } from './accepted.js';
import { BearerKeyGuard, HostGuard, WalletKey } from './mcp.guard.js';
import { mcpAddress } from './public-address.js';
import { isToolsListRequest, ToolsListAnswers } from './tools-list.js';
import { walletServer } from './tools/tools.js';
import type { WalletApi } from './tools/wallet-api.js';

/** MCP over Streamable HTTP, stateless. Tools are routes of the HTTP API, called with the same key. */
@ApiExcludeController()
@Controller()
@Answers({ envelope: 'json-rpc', at: ['mcp'] })
// Clients of MCP look for OAuth here and show the error.
@Answers({
  envelope: 'oauth',
  at: [
    'register',
    'authorize',
    'token',
    '.well-known/oauth-authorization-server',
    '.well-known/openid-configuration',
  ],
})
@UseGuards(HostGuard)
export class McpController implements OnModuleDestroy {
  private readonly handler = createMcpHandler(({ authInfo }) =>
    walletServer((authInfo?.extra as { api: WalletApi }).api),
  );

  private readonly toolsLists = new ToolsListAnswers();

  constructor(private readonly config: Config) {}

  @Post('mcp')
  @UseGuards(BearerKeyGuard)
  async serve(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @WalletKey() key: string,
  ): Promise<void> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const headers = protocolHeaders(request);
    const serve = (parsedBody: unknown): Promise<Response> =>
      inAcceptedType(request.headers.accept, (accept) => {
        headers.set('accept', accept);
        const address = mcpAddress(this.config, request.headers.host ?? '');
        const asked = new Request(address, { method: 'POST', headers, signal: gone.signal });
        return this.handler.fetch(asked, {
          parsedBody,
          authInfo: { token: key, clientId: 'wallet', scopes: [], extra: { api: apiOf(request, key) } },
        });
      });
    // Yields to payments.
    await turn();
    if (isToolsListRequest(request.body)) {
      const dependsOn = [request.headers.accept, ...headers];
      const list = await this.toolsLists.answer(request.body, dependsOn, serve);
      await reply.status(list.status).headers(list.headers).send(list.text);
    } else await reply.send(await serve(request.body));
  }

  /** RFC 9728, without an authorization server: keys come from owners. */
  @Get(['.well-known/oauth-protected-resource', '.well-known/oauth-protected-resource/mcp'])
  @Header('cache-control', 'no-cache')
  metadata(@Headers('host') host: string) {
    const resource = mcpAddress(this.config, host);
    return {
      resource: resource.href,
      resource_name: BRAND,
      bearer_methods_supported: ['header'],
      resource_documentation: new URL('llms.txt', resource).href,
    };
  }

  async onModuleDestroy(): Promise<void> {
    await this.handler.close();
  }
}

/** Without the key, which nothing behind this needs. */
function protocolHeaders({ headers }: FastifyRequest): Headers {
  const kept = new globalThis.Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && /^(content-type|last-event-id|mcp-.*)$/.test(name)) {
      kept.set(name, value);
    }
  }
  return kept;
}

function apiOf({ server, id }: FastifyRequest, key: string): WalletApi {
  return async ({ method, path, body, headers }) => {
    const {
      statusCode,
      headers: answered,
      payload,
    } = await server.inject({
      method,
      url: path,
      headers: {
        ...headers,
        // Errors name the header that was sent.
        authorization: `Bearer ${key}`,
        'x-request-id': id,
      },
      ...(body && { payload: body }),
    });
    return {
      status: statusCode,
      body: JSON.parse(payload) as unknown,
      header: (name) => answered[name]?.toString(),
    };
  };
}
