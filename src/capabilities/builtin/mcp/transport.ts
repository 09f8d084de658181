/** The transport to an MCP server, with limits on bytes per message, messages per second, and stderr. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transport } from '@modelcontextprotocol/client';
import { isUnsent } from '../../../models/index.ts';
import { cutStart, messageOf, visible } from '../../../plan/text/index.ts';
import { CallFailure } from './read-answer.ts';
import { MAX_TOOL_MESSAGE, MAX_MESSAGES_PER_SECOND, type McpServerSettings } from './settings.ts';

export interface McpTransport {
  readonly transport: Transport;
  lastWords(): string;
}

/** The running call. Only its first HTTP request can fail with nothing sent, since redirects cause more requests. */
export const outgoing = new AsyncLocalStorage<{ hasLeft: boolean }>();

const SECOND_MS = 1000;
const LAST_WORDS = 500;

export async function openTransport(
  settings: McpServerSettings,
  folder: string | undefined,
  onTrouble: (why: string) => void,
): Promise<McpTransport> {
  const way = 'url' in settings ? await overHttp(settings, onTrouble) : await overPipes(settings, folder);
  limitRate(way.transport, onTrouble);
  return way;
}

async function overPipes(
  { command, args = [], env = {} }: Extract<McpServerSettings, { command: string }>,
  cwd: string | undefined,
): Promise<McpTransport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    ...{ command, args: [...args], env: { ...env }, stderr: 'pipe', maxBufferSize: MAX_TOOL_MESSAGE },
    ...(cwd !== undefined && { cwd }),
  });
  let words = '';
  transport.stderr?.on('data', (piece: Buffer) => {
    words = cutStart(words + piece.toString('utf8', 0, LAST_WORDS * 4), LAST_WORDS);
  });
  return { transport, lastWords: () => visible(words.trim(), { lines: true }) };
}

async function overHttp(
  { url, headers = {} }: Extract<McpServerSettings, { url: string }>,
  onTrouble: (why: string) => void,
): Promise<McpTransport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (...request) => limitBody(await send(...request), tooLarge),
  });
  // The SDK would open a broken stream again without end, so this closes the transport.
  const tooLarge = () => {
    onTrouble(`it sent a message of more than ${MAX_TOOL_MESSAGE} bytes`);
    transport.close().catch(() => undefined);
  };
  return { transport, lastWords: () => '' };
}

async function send(...request: Parameters<typeof fetch>): Promise<Response> {
  const call = outgoing.getStore();
  const isFirst = call?.hasLeft === false;
  if (call !== undefined) call.hasLeft = true;
  try {
    return await fetch(...request);
  } catch (error) {
    if (!isFirst || !isUnsent(error)) throw error;
    throw new CallFailure('unreachable', `it cannot be reached: ${messageOf((error as Error).cause)}`, {
      cause: error,
    });
  }
}

/** Fails the reader of a body that exceeds the limit. In an event stream, the limit is for each event. */
function limitBody(response: Response, tooLarge: () => void): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? endOfEvent(chunk) : -1;
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes <= MAX_TOOL_MESSAGE) return controller.enqueue(chunk);
      tooLarge();
      controller.error(new Error('too large'));
    },
  });
  const { status, statusText, headers } = response;
  const limited = new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  // The client compares addresses to detect redirects, so the new response gets the old one's address.
  Object.defineProperty(limited, 'url', { value: response.url });
  return limited;
}

function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\n\r\n'));
}

function limitRate(transport: Transport, onTrouble: (why: string) => void): void {
  type Deliver = NonNullable<Transport['onmessage']>;
  let deliver: Deliver | undefined;
  let since = 0;
  let count = 0;
  const counted: Deliver = (message, extra) => {
    const now = Date.now();
    if (now - since >= SECOND_MS) [since, count] = [now, 0];
    count += 1;
    if (count <= MAX_MESSAGES_PER_SECOND) return deliver?.(message, extra);
    if (count > MAX_MESSAGES_PER_SECOND + 1) return;
    onTrouble(`it sent more than ${MAX_MESSAGES_PER_SECOND} messages in a second`);
    transport.close().catch(() => undefined);
  };
  Object.defineProperty(transport, 'onmessage', {
    get: () => deliver && counted,
    set: (next: Deliver | undefined) => {
      deliver = next;
    },
  });
}
