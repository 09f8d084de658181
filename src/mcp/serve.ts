/** Serves one host over a pair of streams, until it goes. */

import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { messageOf, oneLine } from '../plan/text/index.ts';
import type { Room } from './room.ts';
import { mcpServer } from './server.ts';

/** The way to one host. */
export interface Way {
  readonly input: Readable;
  /** The protocol alone: nothing else may be written to it. */
  readonly output: Writable;
  /** Of the package. */
  readonly version: string;
  /** Takes a line for whoever looks at the log of the host. */
  note(line: string): void;
}

export interface Served {
  /** Resolves when the host has gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * Bytes of one message. A larger one ends the connection: its end cannot be found.
 * @bound {bytes} a message of the host
 * @beyond the connection ends with a note; its runs go on
 */
const MOST_MESSAGE = 8 * 2 ** 20;
/** Notes about malformed messages; a host that floods is told no more. */
const MOST_NOTES = 20;

/** @example const { ended } = serveMcp(openRoom(plans, settings), { input: process.stdin, output: process.stdout, version, note }); */
export function serveMcp(room: Room, { input, output, version, note }: Way): Served {
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
    const onceClosed = () => {
      onclose?.();
      resolve();
    };
    // The SDK has a property in place of an event.
    Object.assign(transport, { onclose: onceClosed });
  });
  return { ended, close: () => served.close() };
}
