/** The workers of a scenario: processes that can be killed, frozen and replaced. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryBudget, Deployment } from '../../src/protocol/index.ts';
import type { EncryptionKeys } from '../../src/protocol/encryption/index.ts';
import { processOf } from '../support/processes.ts';

export interface Member {
  readonly pid: number;
  isThere(): boolean;
  /** Resolves when it has ended, by whatever. */
  readonly ended: Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it has ended by itself. */
  stop(): Promise<void>;
  /** SIGSTOP, and SIGCONT so many milliseconds later. */
  freeze(ms: number): Promise<void>;
  /** SIGSTOP, for good. */
  halt(): void;
  /** Whether it is stopped, by whatever. Linux only. */
  isStopped(): boolean;
  /** SIGCONT. */
  wake(): void;
  /** Resident memory in MB. Linux only. */
  memory(): number;
}

export interface WorkerSettings {
  readonly address: string;
  readonly taskQueue: string;
  readonly folder: string;
  readonly bundlePath: string;
  /** Nodes at once. Default 100. */
  readonly slots?: number;
  /** How long one history may get. Default: the product's own. */
  readonly budget?: HistoryBudget;
  /** Megabytes of heap. Default: Node's own. */
  readonly heapMb?: number;
  /** Of the store, where it is not in the folder. */
  readonly storeDir?: string;
  /** Of what writes: workers of different versions carry out the same plans. Default: none. */
  readonly version?: string;
  /** The release that it is. Default: none. */
  readonly deployment?: Deployment;
  /** Default: it encrypts nothing. */
  readonly encryption?: EncryptionKeys;
  /** It stops itself (SIGSTOP) right before it claims its first effect. */
  readonly stopsAtClaim?: boolean;
  /** A library that the system's loader puts before all others. Linux only. */
  readonly preload?: string;
}

const PROGRAM = processOf('faults/worker-process');
const READY_WITHIN_MS = 60_000;

/** Starts a worker and waits until it takes work. */
export async function startMember(settings: WorkerSettings): Promise<Member> {
  const { address, taskQueue, folder, bundlePath, slots, budget, heapMb, storeDir, version, deployment } = settings;
  const { encryption, stopsAtClaim = false, preload } = settings;
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const child = spawn(process.execPath, [...heap, PROGRAM], {
    env: {
      ...process.env,
      ...{ ADDRESS: address, TASK_QUEUE: taskQueue, FOLDER: folder, BUNDLE: bundlePath },
      ...(slots !== undefined && { SLOTS: String(slots) }),
      ...(budget !== undefined && { BUDGET: JSON.stringify(budget) }),
      ...(storeDir !== undefined && { STORE: storeDir }),
      ...(version !== undefined && { VERSION: version }),
      ...(deployment !== undefined && { DEPLOYMENT: JSON.stringify(deployment) }),
      ...(encryption !== undefined && { ENCRYPTION: JSON.stringify(encryption) }),
      ...(preload !== undefined && { LD_PRELOAD: preload }),
      ...(stopsAtClaim && { STOPS_AT_CLAIM: 'yes' }),
    },
    // What a worker says while it is tormented is no news; PLANWRIGHT_LOUD shows it.
    stdio: ['ignore', 'pipe', process.env['PLANWRIGHT_LOUD'] === undefined ? 'ignore' : 'inherit'],
  });
  const ended = once(child, 'exit').then(() => undefined);
  await ready(child);
  const pid = child.pid ?? 0;
  const isThere = () => child.exitCode === null && child.signalCode === null;
  return {
    pid,
    isThere,
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
    async freeze(ms) {
      child.kill('SIGSTOP');
      await sleep(ms);
      child.kill('SIGCONT');
    },
    halt: () => void child.kill('SIGSTOP'),
    isStopped: () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
    wake: () => void child.kill('SIGCONT'),
    memory() {
      // One that has just ended has none.
      const kb = /^VmRSS:\s+(\d+)/m.exec(isThere() ? readFileSync(`/proc/${pid}/status`, 'utf8') : '')?.[1] ?? 0;
      return Math.round(Number(kb) / 1024);
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the worker was not ready in ${READY_WITHIN_MS / 1000} s`));
    }, READY_WITHIN_MS);
    child.once('exit', (code, signal) => {
      clearTimeout(late);
      reject(new Error(`the worker ended with ${signal ?? code} before it was ready; PLANWRIGHT_LOUD=1 shows why`));
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line !== 'ready') return;
      clearTimeout(late);
      resolve();
    });
  });
}
