/** A server of MCP, connected when it is needed, and connected again when it has gone, as often as its bound lets it. */

import type { Client, CallToolResult, Progress } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { messageOf, oneLine } from '../../../plan/text/index.ts';
import {
  CALL_MS,
  MOST_PAGES,
  MOST_STARTS,
  MOST_TOOLS,
  START_MS,
  STARTS_MS,
  type McpServerSettings,
} from './settings.ts';
import { openWay } from './transport.ts';

export interface McpConnection {
  /** The tools as they are listed now. */
  list(signal?: AbortSignal): Promise<readonly unknown[]>;
  /** The tools as they were listed last, on this connection and not long ago. */
  known(signal?: AbortSignal): Promise<readonly unknown[]>;
  /** @throws Unsent where the request has not left; else it may have been carried out */
  call(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** The request has not been sent, or was refused before anything was done. */
export class Unsent extends Error {
  override readonly name = 'Unsent';
}

/** JSON-RPC: there is no such tool, or its arguments are refused. */
const REFUSED = [-32_601, -32_602];
/** Raw, since one tool that is badly described must not hide the others: each is judged by itself. */
const LISTED = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
/**
 * Milliseconds for which a list is taken for the present one.
 * @bound a list that is taken for the present one, for a read
 * @beyond listed anew
 */
const LISTED_MS = 60_000;

interface Open {
  readonly client: Client;
  /** Why it was closed, in words. */
  why(): string;
  isGone: boolean;
  tools: readonly unknown[];
  listedAt: number;
}

/**
 * @param place the name of the server, for messages
 * @param folder where a command is started
 * @param bounds the times in which it must have started and listed its tools, and in which a call is answered
 */
export function connectMcp(
  place: string,
  settings: McpServerSettings,
  folder?: string,
  { startMs = START_MS, callMs = CALL_MS }: { readonly startMs?: number; readonly callMs?: number } = {},
): McpConnection {
  const starts: number[] = [];
  let opening: Promise<Open> | undefined;
  let isClosed = false;

  /** The connection that is there, else a new one; callers at once share it. */
  async function open(): Promise<Open> {
    const before = opening;
    const there = await before?.catch(() => undefined);
    if (there !== undefined && !there.isGone) return there;
    if (opening === before) opening = begin();
    return opening!;
  }

  async function begin(): Promise<Open> {
    if (isClosed) throw new Unsent(`${place} was closed with its worker`);
    const now = Date.now();
    while (now - (starts[0] ?? now) > STARTS_MS) starts.shift();
    if (starts.length >= MOST_STARTS) {
      throw new Unsent(
        `${place} was started ${MOST_STARTS} times within a minute, and has gone each time; look at its own log`,
      );
    }
    starts.push(now);
    // Every server of today speaks the protocol of 2025; one that does not is asked in that of 2026.
    return connected('legacy').catch((error: unknown) => {
      if (!isOtherProtocol(error)) throw error;
      return connected({ pin: '2026-07-28' });
    });
  }

  async function connected(mode: 'legacy' | { readonly pin: string }): Promise<Open> {
    let trouble = '';
    const tell = (why: string) => (trouble ||= why);
    const way = await openWay(settings, folder, tell);
    const { Client } = await import('@modelcontextprotocol/client');
    const client = new Client({ name: 'planwright', version: '1' }, { versionNegotiation: { mode } });
    const why = () =>
      [trouble || 'it has gone', way.lastWords()].filter((text) => text !== '').join('; its last words: ');
    // The SDK has properties in place of events.
    Object.assign(client, { onerror: (error: Error) => tell(oneLine(messageOf(error))) });
    const late = AbortSignal.timeout(startMs);
    try {
      await client.connect(way.transport, { timeout: startMs, signal: late });
      const opened: Open = { client, why, isGone: false, tools: [], listedAt: 0 };
      Object.assign(client, { onclose: () => (opened.isGone = true) });
      client.setNotificationHandler('notifications/tools/list_changed', () => {
        opened.listedAt = 0;
      });
      await listOf(opened, late);
      return opened;
    } catch (error) {
      if (late.aborted) tell(`it was not ready after ${startMs / 1000} s`);
      else tell(oneLine(messageOf(error)));
      await client.close().catch(() => undefined);
      throw Object.assign(new Unsent(`${place} does not answer: ${why()}`), { cause: error });
    }
  }

  async function listOf(opened: Open, signal: AbortSignal): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 1; ; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const listed = await opened.client.request({ method: 'tools/list', params }, LISTED, {
        timeout: startMs,
        signal,
      });
      tools.push(...listed.tools);
      cursor = listed.nextCursor ?? undefined;
      if (tools.length > MOST_TOOLS) throw new Error(`it lists more than ${MOST_TOOLS} tools`);
      if (cursor === undefined) break;
      if (page >= MOST_PAGES) throw new Error(`it lists its tools on more than ${MOST_PAGES} pages`);
    }
    opened.tools = tools;
    opened.listedAt = Date.now();
    return tools;
  }

  return {
    async list(signal) {
      const opened = await open();
      const late = AbortSignal.timeout(startMs);
      return listOf(opened, signal === undefined ? late : AbortSignal.any([signal, late])).catch((error: unknown) => {
        throw new Unsent(`${place} does not list its tools: ${oneLine(messageOf(error))}; ${opened.why()}`);
      });
    },
    async known(signal) {
      const opened = await open();
      return Date.now() - opened.listedAt < LISTED_MS ? opened.tools : this.list(signal);
    },
    async call(name, args, { signal, onProgress }) {
      const opened = await open();
      const options = { signal, timeout: callMs, onprogress: onProgress };
      try {
        return await opened.client.request({ method: 'tools/call', params: { name, arguments: args } }, options);
      } catch (error) {
        signal.throwIfAborted();
        const { code } = error as { readonly code?: unknown };
        const said = oneLine(messageOf(error));
        if (REFUSED.includes(code as number)) throw new Unsent(`${place} refuses ${name}: ${said}`);
        throw new Error(`${place} did not answer ${name}: ${said}; ${opened.why()}`, { cause: error });
      }
    },
    async close() {
      isClosed = true;
      await (await opening?.catch(() => undefined))?.client.close().catch(() => undefined);
    },
  };
}

/** The protocol is refused by a code of its own, or `initialize` is not known. */
function isOtherProtocol(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const { code } = one as { readonly code?: unknown };
    if (code === -32_022 || code === -32_601) return true;
  }
  return false;
}
