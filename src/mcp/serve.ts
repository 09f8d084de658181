/** Serves one host over two streams until it disconnects. */

import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { messageOf, oneLine } from '../plan/text/index.ts';
import type { HostSession } from './host-session.ts';
import { mcpServer } from './server.ts';

export interface HostStreams {
  readonly input: Readable;
  /** Only for the protocol. */
  readonly output: Writable;
  readonly version: string;
  /** Writes to the host's log. */
  note(line: string): void;
}

export interface ServedHost {
  /** Resolves when the host has disconnected. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * A larger message ends the connection, since its end is unknown.
 * @bound {bytes} a message of the host
 * @beyond the connection ends with a note; its runs go on
 */
const MOST_MESSAGE = 8 * 2 ** 20;
/** About malformed messages. */
const MOST_NOTES = 20;

/** @example const { ended } = serveMcp(openRoom(plans, settings), { input: process.stdin, output: process.stdout, version, note }); */
export function serveMcp(session: HostSession, { input, output, version, note }: HostStreams): ServedHost {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_MESSAGE });
  let notes = 0;
  const onerror = (error: Error) => {
    notes += 1;
    if (notes < MOST_NOTES) note(`a message of the host could not be taken: ${oneLine(messageOf(error))}`);
    if (notes === MOST_NOTES) note('more messages of the host could not be taken; they are not told any more');
  };
  const served = serveStdio(() => mcpServer(session, version), { transport, onerror });
  const ended = new Promise<void>((resolve) => {
    const { onclose } = transport;
    const onceClosed = () => {
      onclose?.();
      resolve();
    };
    // The SDK has a property instead of an event.
    Object.assign(transport, { onclose: onceClosed });
  });
  return { ended, close: () => served.close() };
}
