import type { Client, Progress } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { messageOf, oneLine } from '../../../plan/text/index.ts';
import { timeoutSignal } from '../../../protocol/index.ts';
import {
  CALL_MS,
  MAX_REPEATED_PAGES,
  MAX_TOOL_PAGES,
  MAX_SERVER_STARTS,
  MAX_SERVER_TOOLS,
  START_MS,
  STARTS_MS,
  type McpServerSettings,
} from './settings.ts';
import { ANSWER, type ToolAnswer, CallFailure, type CALL_OUTCOMES } from './read-answer.ts';
import { toolNameOf } from '../tools/tool-schema.ts';
import { openTransport, outgoing } from './transport.ts';

export interface McpConnection {
  list(signal?: AbortSignal): Promise<Listing>;
  known(signal?: AbortSignal): Promise<Listing>;
  call(name: string, args: Record<string, unknown>, options: CallOptions): Promise<ToolAnswer>;
  close(): Promise<void>;
}

interface Listing {
  readonly tools: readonly unknown[];
  /** Why `tools` may be incomplete: the server's list did not end or was too long. */
  readonly oddity?: string;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** The idempotency key of an effect. */
  readonly key?: string | undefined;
}

const KEY_IN_META = 'planwright/idempotencyKey';

const UNKNOWN_METHOD = -32_601;
/** Parses no entry yet, since one invalid tool must not hide the others. */
const LISTED = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const LISTED_MS = 60_000;

interface Open {
  readonly client: Client;
  why(): string;
  isGone: boolean;
  listing: Listing;
  listedAt: number;
}

export function connectMcp(
  place: string,
  settings: McpServerSettings,
  folder?: string,
  { startMs = START_MS, callMs = CALL_MS }: { readonly startMs?: number; readonly callMs?: number } = {},
): McpConnection {
  const starts: number[] = [];
  let opening: Promise<Open> | undefined;
  let isClosed = false;

  async function open(): Promise<Open> {
    const before = opening;
    const there = await before?.catch(() => undefined);
    if (there !== undefined && !there.isGone) return there;
    if (opening === before) opening = openConnection();
    return opening!;
  }

  async function openConnection(): Promise<Open> {
    if (isClosed) throw new CallFailure('unreachable', `${place} was closed with its worker`);
    const now = Date.now();
    while (now - (starts[0] ?? now) > STARTS_MS) starts.shift();
    if (starts.length >= MAX_SERVER_STARTS) {
      throw new CallFailure(
        'unreachable',
        `${place} was started ${MAX_SERVER_STARTS} times within a minute, and has gone each time; look at its own log`,
      );
    }
    starts.push(now);
    // Tries the protocol of 2025 first, which all servers support today, then that of 2026.
    return connected('legacy').catch((error: unknown) => {
      if (!isOtherProtocol(error)) throw error;
      return connected({ pin: '2026-07-28' });
    });
  }

  async function connected(mode: 'legacy' | { readonly pin: string }): Promise<Open> {
    let trouble = '';
    const noteTrouble = (why: string) => (trouble ||= why);
    const way = await openTransport(settings, folder, noteTrouble);
    const { Client } = await import('@modelcontextprotocol/client');
    const client = new Client({ name: 'planwright', version: '1' }, { versionNegotiation: { mode } });
    const why = () =>
      [trouble || 'it has gone', way.lastWords()].filter((text) => text !== '').join('; its last words: ');
    Object.assign(client, { onerror: (error: Error) => noteTrouble(oneLine(messageOf(error))) });
    const late = timeoutSignal(startMs);
    try {
      await client.connect(way.transport, { timeout: startMs, signal: late });
      const opened: Open = { client, why, isGone: false, listing: { tools: [] }, listedAt: 0 };
      Object.assign(client, { onclose: () => (opened.isGone = true) });
      client.setNotificationHandler('notifications/tools/list_changed', () => {
        opened.listedAt = 0;
      });
      await listOf(opened, late);
      return opened;
    } catch (error) {
      if (late.aborted) noteTrouble(`it was not ready after ${startMs / 1000} s`);
      else noteTrouble(oneLine(messageOf(error)));
      await client.close().catch(() => undefined);
      throw new CallFailure('unreachable', `${place} does not answer: ${why()}`, { cause: error });
    }
  }

  /** Lists the tools. Stops if a cursor repeats or pages contain nothing new, since the list might never end. */
  async function listOf(opened: Open, signal: AbortSignal): Promise<Listing> {
    const tools = new Map<string, unknown>();
    const cursors = new Set<string | undefined>();
    let cursor: string | undefined;
    let oddity: string | undefined;
    let idle = 0;
    do {
      cursors.add(cursor);
      const params = cursor === undefined ? {} : { cursor };
      const listed = await opened.client.request({ method: 'tools/list', params }, LISTED, {
        timeout: startMs,
        signal,
      });
      const before = tools.size;
      for (const tool of listed.tools) tools.set(JSON.stringify(tool), tool);
      idle = tools.size > before ? 0 : idle + 1;
      cursor = listed.nextCursor ?? undefined;
      if (tools.size > MAX_SERVER_TOOLS) oddity = `it lists more than ${MAX_SERVER_TOOLS} tools`;
      else if (cursor === undefined) break;
      else if (cursors.has(cursor) || idle >= MAX_REPEATED_PAGES) oddity = 'its list of tools does not end';
      else if (cursors.size >= MAX_TOOL_PAGES) oddity = `it lists its tools on more than ${MAX_TOOL_PAGES} pages`;
    } while (oddity === undefined);
    opened.listing = { tools: [...tools.values()].slice(0, MAX_SERVER_TOOLS), ...(oddity !== undefined && { oddity }) };
    opened.listedAt = Date.now();
    return opened.listing;
  }

  return {
    async list(signal) {
      const opened = await open();
      const late = timeoutSignal(startMs);
      return listOf(opened, signal === undefined ? late : AbortSignal.any([signal, late])).catch((error: unknown) => {
        const why = `${oneLine(messageOf(error))}; ${opened.why()}`;
        throw new CallFailure('unreachable', `${place} does not list its tools: ${why}`);
      });
    },
    async known(signal) {
      const opened = await open();
      return Date.now() - opened.listedAt < LISTED_MS ? opened.listing : this.list(signal);
    },
    async call(name, args, { signal, onProgress, key }) {
      const opened = await open();
      // Nobody can answer questions from the server. They are accepted here and rejected below.
      const options = { signal, timeout: callMs, onprogress: onProgress, allowInputRequired: true };
      const meta = key === undefined ? {} : { _meta: { [KEY_IN_META]: key } };
      const request = { method: 'tools/call' as const, params: { name, arguments: args, ...meta } };
      try {
        const answer = await outgoing.run({ hasLeft: false }, () => opened.client.request(request, ANSWER, options));
        if (!('resultType' in answer)) return answer;
        throw new CallFailure('malformed', `${place} asks for more in place of an answer to ${name}`);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CallFailure) throw error;
        const answer = callOutcome(error, () => opened.listing.tools.some((tool) => toolNameOf(tool) === name));
        const message = `${place} did not answer ${name}: ${oneLine(messageOf(error))}; ${opened.why()}`;
        throw new CallFailure(answer, message, { cause: error });
      }
    },
    async close() {
      isClosed = true;
      await (await opening?.catch(() => undefined))?.client.close().catch(() => undefined);
    },
  };
}

/** The row of `CALL_OUTCOMES` for an error of the SDK. If the code is a number, the error comes from JSON-RPC. */
function callOutcome(error: unknown, isListed: () => boolean): keyof typeof CALL_OUTCOMES {
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
  if (code === UNKNOWN_METHOD && !isListed()) return 'unlisted';
  if (typeof code === 'number') return 'error';
  if (status !== undefined) return 'status';
  if (code === 'REQUEST_TIMEOUT') return 'late';
  return /^(?:INVALID_RESULT|UNSUPPORTED_RESULT_TYPE|CLIENT_HTTP_UNEXPECTED_CONTENT)$/.test(String(code))
    ? 'malformed'
    : 'broken';
}

function isOtherProtocol(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const { code } = one as { readonly code?: unknown };
    if (code === -32_022 || code === UNKNOWN_METHOD) return true;
  }
  return false;
}
