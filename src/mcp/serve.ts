/** Serves one host over a pair of streams, until it goes. */

import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { messageOf, oneLine } from '../language/text/index.ts';
import type { Plans } from '../operations/index.ts';
import { openRoom, type McpSettings } from './room.ts';
import { mcpServer } from './server.ts';

export interface Streams {
  readonly input: Readable;
  /** The protocol alone: nothing else may be written to it. */
  readonly output: Writable;
}

export interface Served {
  /** Resolves when the host has gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Bytes of one message. A larger one ends the connection: its end cannot be found. */
const MOST_MESSAGE = 8 * 2 ** 20;
/** Notes about malformed messages; a host that floods is told no more. */
const MOST_NOTES = 20;

/**
 * @param note takes a line for whoever looks at the log of the host
 * @example const { ended } = serveMcp(plans, settings, { input: process.stdin, output: process.stdout }, '1.0.0', console.error);
 */
export function serveMcp(
  plans: Plans,
  settings: McpSettings,
  { input, output }: Streams,
  version: string,
  note: (line: string) => void,
): Served {
  const room = openRoom(plans, settings);
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_MESSAGE });
  let notes = 0;
  const onerror = (error: Error) => {
    notes += 1;
    if (notes < MOST_NOTES) note(`a message of the host could not be taken: ${oneLine(messageOf(error))}`);
    if (notes === MOST_NOTES) note('more messages of the host could not be taken; they are not told any more');
  };
  const served = serveStdio(() => mcpServer(room, version), { transport, onerror });
  const ended = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  return { ended, close: () => served.close() };
}
