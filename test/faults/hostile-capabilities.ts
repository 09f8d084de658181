/** Work that misbehaves in every way that code of others can, by the name that the plan gives. */

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createSet, type ResultSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError, type TaskContext } from '../../src/capabilities/index.ts';
import { deed } from './capabilities.ts';
import type { Line } from './ledger.ts';
import { tool } from '../support/capabilities.ts';

const input = z.looseObject({ name: z.string(), how: z.string(), nested: z.unknown() });
type Task = TaskContext<z.output<typeof input>>;

const BLOCK_MS = 6000;
const MEGABYTES_10 = 10 * 2 ** 20;

const never = () => new Promise<ResultSet>(() => undefined);

/** Each throws, hangs, or ends more than itself. */
const WAYS: Readonly<Record<string, (task: Task) => Promise<ResultSet> | ResultSet>> = {
  'never ends': ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  'ignores abort': never,
  'throws undefined': () => raise(undefined),
  'throws null': () => raise(null),
  'throws a symbol': () => raise(Symbol('broken')),
  'throws a lone surrogate': () => raise(new Error('before \ud800 after')),
  'throws 10 MB': () => raise(new Error('x'.repeat(MEGABYTES_10))),
  'throws a stack of 10 MB': () => raise(Object.assign(new Error('short'), { stack: 'y'.repeat(MEGABYTES_10) })),
  'throws its own cause': () => {
    const error = new Error('round');
    error.cause = error;
    return raise(error);
  },
  'throws 5,000 causes': () => {
    let error = new Error('the last');
    for (let n = 0; n < 5000; n++) error = new Error(`cause ${n}`, { cause: error });
    return raise(error);
  },
  'throws a proxy': () =>
    raise(
      new Proxy(new Error('masked'), {
        get: () => raise(new Error('no field')),
        getPrototypeOf: () => raise(new Error('no prototype')),
      }),
    ),
  'gives what is no set': () => ({ ids: 'none' }) as unknown as ResultSet,
  'mutates what it is given': (task) => {
    const given = [task.context, task.arguments.nested] as { list: number[] }[];
    const isClean = given.every(({ list }) => list.length === 1);
    for (const { list } of given) list.push(2);
    if (!isClean) throw new CapabilityError('CRITICAL', 'the attempt before wrote into what this one was given');
    throw new Error('once more');
  },
  'ends the process': () => process.exit(3),
  'fills the memory': () => {
    const kept: unknown[] = [];
    for (;;) kept.push(new Array(100_000).fill(kept.length));
  },
  'rejects unhandled': async () => {
    void Promise.reject(new Error('nobody looks'));
    await sleep(100);
    return createSet([{ id: 'x' }]);
  },
  'throws from a timer': async () => {
    setTimeout(() => raise(new Error('out of a timer')), 10);
    await sleep(100);
    return createSet([{ id: 'x' }]);
  },
  'blocks the event loop': () => {
    for (const end = Date.now() + BLOCK_MS; Date.now() < end;);
    return createSet([{ id: 'x' }]);
  },
};

export function createHostile(write: (line: Line) => void) {
  return tool(
    {
      name: 'hostile',
      timeout: { heartbeatMs: 1500, startToCloseMs: 3000 },
      retry: { attempts: 2, initialMs: 10 },
    },
    'read',
    'set',
    input,
    (task) => {
      write(deed('begin', task, 'read'));
      const way = WAYS[task.arguments.how];
      if (way === undefined) throw new CapabilityError('CRITICAL', `there is no way ${task.arguments.how}`);
      return way(task);
    },
  );
}

function raise(what: unknown): never {
  throw what;
}
