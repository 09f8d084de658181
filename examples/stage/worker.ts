/** A worker in a process of its own, which the demo can kill. */

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DemoConfigOptions } from './demo.ts';
import { StoryError } from './story-error.ts';

/** The options of a worker process, as JSON in its first argument. */
export interface DemoWorkerOptions extends DemoConfigOptions {
  readonly demo: string;
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly storeDir: string;
  readonly ledgerFile: string;
  /** Lives on when the demo ends. */
  readonly keep: boolean;
}

export interface DemoWorker {
  readonly pid: number;
  /** SIGKILL, as a crash would be; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Asks it to end, and after 5 s ends it. Does nothing when it is gone. */
  stop(): Promise<void>;
  /** Lets go of it, so that it lives on without this process. */
  release(): void;
}

/** The program of a worker, beside this file. */
const PROGRAM = new URL(`./worker-process.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
const STOP_WITHIN_MS = 5000;

/**
 * Starts a worker and waits until it takes work. Its words go to `logFile`. `signal` gives up the waiting.
 * @throws StoryError that names the log, when it ends before that.
 */
export async function startDemoWorker(
  options: DemoWorkerOptions,
  logFile: string,
  signal: AbortSignal,
): Promise<DemoWorker> {
  const log = openSync(logFile, 'a');
  // A process group of its own: Ctrl-C must reach the demo alone, which ends the worker in its order.
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(PROGRAM), JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const giveUp = () => child.kill('SIGKILL');
  signal.addEventListener('abort', giveUp);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const ready = new Promise<'ready'>((resolve) => child.once('message', () => resolve('ready')));
  const first = await Promise.race([ready, ended]);
  signal.removeEventListener('abort', giveUp);
  if (first !== 'ready') {
    throw new StoryError('no-worker', `the worker ended before it was ready; the reason is at the end of ${logFile}`);
  }
  return {
    pid: child.pid as number,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    stop: () => stop(child, ended),
    release() {
      child.disconnect();
      child.unref();
    },
  };
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const inTime = new AbortController();
  const kill = pause(STOP_WITHIN_MS, undefined, { signal: inTime.signal }).then(
    () => void child.kill('SIGKILL'),
    () => {},
  );
  await ended;
  inTime.abort();
  await kill;
}
