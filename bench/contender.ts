/**
 * An engine that is measured beside others: a process of its own, told over Node's channel what to carry out.
 *
 * It says `{ ready: { name, label } }` when its servers answer, then replies to each `Shape` with a `Went`, and ends its
 * servers when the channel closes.
 */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A plan without words: node i takes the results of smaller nodes, and naps. */
export interface Shape {
  readonly name: string;
  /** inputs[i]: the nodes that node i waits for, none to two. */
  readonly inputs: readonly (readonly number[])[];
  /** Milliseconds each node naps; 0 for a node that does nothing. */
  readonly naps: readonly number[];
  /** The sum of naps on the slowest way through, in milliseconds. */
  readonly criticalPath: number;
}

/** How a shape went: from handing it over to its result, in milliseconds, and the number of nodes that ran. */
export interface Went {
  readonly ms: number;
  readonly ran: number;
}

export interface Contender {
  /** The engine's name in a table. */
  readonly name: string;
  /** Its version, its storage and how it carries out a node. */
  readonly label: string;
  carryOut(shape: Shape): Promise<Went>;
  close(): Promise<void>;
}

/** A plan takes at most this long; a machine on which it takes longer measures nothing. */
const MOST_MS = 300_000;

/** @param script path of the contender's program @throws Error when it ends before it is ready. */
export async function openContender(script: string): Promise<Contender> {
  const child = fork(script, { execArgv: script.endsWith('.ts') ? ['--import', 'tsx'] : [] });
  const { ready } = await next<{ ready: Pick<Contender, 'name' | 'label'> }>(child);
  return {
    ...ready,
    async carryOut(shape) {
      child.send(shape);
      const went = await next<Went>(child);
      if (went.ran !== shape.inputs.length)
        throw new Error(`${ready.name}: ${went.ran} of ${shape.inputs.length} nodes ran`);
      return went;
    },
    async close() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function next<T>(child: ChildProcess): Promise<T> {
  const waiting = new AbortController();
  const late = setTimeout(() => child.kill(), MOST_MS);
  const ended = once(child, 'exit', { signal: waiting.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.at(-1)} ended with ${code}`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal: waiting.signal }), ended])) as [T];
    return message;
  } finally {
    clearTimeout(late);
    ended.catch(() => undefined);
    waiting.abort();
  }
}
