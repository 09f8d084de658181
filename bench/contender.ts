/**
 * An engine that is measured beside others, in two processes of its own program that are spoken to over Node's channel:
 * `serve` has what outlives a crash (servers, files), `work` carries plans out and may be killed.
 *
 * Each says `{ ready }` when it can be asked, replies to each `Request` with a `Reply`, and ends with its channel.
 */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Shape } from './shapes.ts';

/** A contender is asked to carry a plan out, to go on with one after a restart, or for a case of its own. */
export type Request =
  /**
   * `run` is the id under which the run is resumed; `facts` asks for growth of memory and size of history too. If it is
   * `unchecked`, nobody asks the engine how many nodes ran.
   */
  | {
      readonly does: 'plan';
      readonly shape: Shape;
      readonly run?: string;
      readonly facts?: true;
      readonly unchecked?: true;
    }
  | { readonly does: 'resume'; readonly shape: Shape; readonly run: string }
  /** The smallest run that the engine has. */
  | { readonly does: 'empty' }
  /** So many runs of a plan, some of them at once. */
  | { readonly does: 'runs'; readonly shape: Shape; readonly runs: number }
  /** So many runs that wait for a person, approved when all of them wait. */
  | { readonly does: 'approvals'; readonly runs: number };

/** The nodes whose results the engine has on its disk, asked of `serve` while nobody is at work. */
export interface KeptRequest {
  readonly does: 'kept';
  readonly shape: Shape;
  readonly run: string;
}

/** How a request went. */
export interface Went {
  /** From handing it over to its result. */
  readonly ms: number;
  /** Nodes that ran, of a plan from its beginning. */
  readonly ran?: number;
  /** Records of the root's result. */
  readonly records?: number;
  /** More numbers, by name with their unit: `heapMb`. */
  readonly facts?: Readonly<Record<string, number>>;
}

/** An engine that cannot do what it was asked for says why. */
export interface Cannot {
  readonly cannot: string;
}

export type Reply = Went | Cannot;

export interface Ready {
  /** The engine's name in a table. */
  readonly name: string;
  readonly version: string;
  /** Its storage and how it carries out a node. */
  readonly label: string;
}

export interface Contender extends Ready {
  /** @param withinMs after so long both processes are ended and started anew, and the reply is `cannot`. Default 5 minutes. */
  ask(request: Request, withinMs?: number): Promise<Reply>;
  /** Hands a request over to a process that will be killed. */
  begin(request: Request): void;
  /** SIGKILL to the process at work; resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts the process at work again. */
  restart(): Promise<void>;
  kept(shape: Shape, run: string): Promise<readonly number[]>;
  close(): Promise<void>;
}

const READY_MS = 120_000;
const ASKED_MS = 300_000;
/** Workers drain for 30 s at most; a store of 100,000 results takes its time to be removed. */
const CLOSE_MS = 120_000;

/**
 * @param script path of the contender's program
 * @param options given to `work`, such as `{ lane: 'parts' }`
 * @throws Error when it ends, or says nothing for two minutes, before it is ready
 */
export async function openContender(script: string, options: object = {}): Promise<Contender> {
  let { server, place } = await serve(script);
  let worker = start(script, 'work', { place, options });
  const { ready } = await next<{ ready: Ready }>(worker, READY_MS).catch(async (error: unknown) => {
    await end(server);
    throw error;
  });

  const contender: Contender = {
    ...ready,
    async ask(request, withinMs = ASKED_MS) {
      worker.send(request);
      try {
        return await next<Reply>(worker, withinMs);
      } catch (error) {
        if (!(error instanceof LateError)) throw error;
        await contender.kill();
        await end(server);
        // On the place of before, a durable engine would go on with it beside the next case.
        ({ server, place } = await serve(script));
        await contender.restart();
        return { cannot: `not done after ${withinMs / 60_000} minutes` };
      }
    },
    begin(request) {
      worker.send(request);
    },
    async kill() {
      const ended = once(worker, 'exit');
      worker.kill('SIGKILL');
      await ended;
    },
    async restart() {
      worker = start(script, 'work', { place, options });
      await next(worker, READY_MS);
    },
    async kept(shape, run) {
      server.send({ does: 'kept', shape, run } satisfies KeptRequest);
      return (await next<{ kept: readonly number[] }>(server, ASKED_MS)).kept;
    },
    async close() {
      await end(worker);
      await end(server);
    },
  };
  return contender;
}

async function serve(script: string): Promise<{ server: ChildProcess; place: object }> {
  const server = start(script, 'serve', {});
  const { ready: place } = await next<{ ready: object }>(server, READY_MS);
  return { server, place };
}

function start(script: string, role: 'serve' | 'work', given: object): ChildProcess {
  const execArgv = ['--expose-gc', ...(script.endsWith('.ts') ? ['--import', 'tsx'] : [])];
  return fork(script, [role, JSON.stringify(given)], { execArgv });
}

class LateError extends Error {}

async function next<T>(child: ChildProcess, withinMs: number): Promise<T> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const script = child.spawnargs.at(-3);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(`${script} said nothing for ${withinMs / 1000} s`)), withinMs);
  });
  const ended = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`${script} ended with ${code ?? by}; its reason stands above`);
  });
  ended.catch(() => undefined);
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended, late])) as [T];
    return message;
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}

/** Closes the channel; a process that has not ended by the deadline is killed. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const late = setTimeout(() => {
    process.stderr.write(`${child.spawnargs.at(-3)} has not ended ${CLOSE_MS / 1000} s after its channel: killed\n`);
    child.kill('SIGKILL');
  }, CLOSE_MS);
  if (child.connected) child.disconnect();
  await ended;
  clearTimeout(late);
}
