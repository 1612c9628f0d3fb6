import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const STEP_MS = 50;

const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, said: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: said },
});

/** What the tools answer that only answer. */
const ANSWERS: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
};

/**
 * The tools that the conformance suite calls by their names, beside ours: what carries a call and its answer, and who is
 * let in, is then judged by tools that the suite knows.
 */
export function addSuiteTools(server: McpServer): McpServer {
  server.server.registerCapabilities({ logging: {} });
  const inputSchema = z.strictObject({});
  for (const [name, answer] of Object.entries(ANSWERS)) {
    server.registerTool(name, { description: 'Of the suite.', inputSchema }, () => answer);
  }
  server.registerTool('test_error_handling', { description: 'Of the suite.', inputSchema }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Of the suite.', inputSchema },
    async (_, { mcpReq }) => {
      for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: said } });
        await sleep(STEP_MS);
      }
      return { content: [text('Done.')] };
    },
  );
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Of the suite.', inputSchema },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: 100 };
          await mcpReq.notify({ method: 'notifications/progress', params });
        }
        await sleep(STEP_MS);
      }
      return { content: [text('Done.')] };
    },
  );
  return server;
}
