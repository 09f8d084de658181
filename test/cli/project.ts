/** A project folder with a task queue of its own on the shared server, and a worker of the built program. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import type { OperationName } from '../../src/operations/rows.ts';
import { CONFIG, planwright, start, type Answer, type Started, type Typed } from './planwright.ts';
import { eventually } from '../support/eventually.ts';

export interface Project {
  readonly folder: string;
  readonly taskQueue: string;
  readonly env: Readonly<Record<string, string>>;
  /** Types a command here. */
  type(...args: string[]): Promise<Typed>;
  /** Types a command here and goes on while it runs. */
  begin(...args: string[]): Started;
  /** Starts a run of the plan and returns its id; where there is a worker, once the plan is compiled. */
  detach(plan: unknown, ...options: string[]): Promise<string>;
  /** Default: a worker of the fixture's config. */
  startWorker(config?: string): Promise<Started>;
  /** Types a command here, with its answer as JSON. */
  json<Of extends OperationName | object = Readonly<Record<string, unknown>>>(
    ...args: string[]
  ): Promise<Answer<Of> & { readonly code: number }>;
  /** Waits until the status of a run fits. */
  until(id: string, fits: (status: StatusAnswer) => boolean): Promise<StatusAnswer>;
  /** Lets the tasks go on that wait for this barrier. */
  open(barrier: string): void;
  close(): Promise<void>;
}

/** What `status -o json` says. */
export interface StatusAnswer {
  readonly code: number;
  readonly phase: string;
  readonly outcome?: string;
  readonly digest: string;
  readonly revision: number;
  readonly waitingFor: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly open: readonly {
    readonly id: string;
    readonly kind: string;
    readonly text: string;
    readonly command: string;
  }[];
}

let projects = 0;

/**
 * @param namespace of the server; default: the one that all other tests use too
 * @param more of the environment
 */
export function createProject(namespace = 'default', more: Readonly<Record<string, string>> = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-project-'));
  const taskQueue = `cli-${process.pid}-${Date.now().toString(36)}-${++projects}`;
  const env = {
    TEMPORAL_ADDRESS: inject('address'),
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_CLI_PATH: inject('cliPath'),
    FIXTURE_DIR: folder,
    PLANWRIGHT_STORE: join(folder, 'results'),
    ...more,
  };
  const workers: Started[] = [];
  const project: Project = {
    folder,
    taskQueue,
    env,
    type: (...args) => planwright(args, { env, cwd: folder }),
    begin: (...args) => start(args, { env, cwd: folder }),
    async detach(plan, ...options) {
      const file = writePlan(folder, plan);
      const typed = await project.type('run', file, '--detach', '--task-queue', taskQueue, ...options);
      if (typed.code !== 0) throw new Error(typed.stderr);
      const id = typed.stdout.trim();
      if (workers.length > 0) await project.until(id, ({ phase }) => phase !== 'drafting');
      return id;
    },
    async startWorker(config = CONFIG) {
      const worker = start(['worker', '--config', config, '--task-queue', taskQueue], { env, cwd: folder });
      workers.push(worker);
      await worker.said(/worker ready on task queue/);
      return worker;
    },
    async json(...args: string[]) {
      const { code, stdout, stderr } = await project.type(...args, '-o', 'json');
      if (stdout === '') throw new Error(stderr);
      return { code, ...(JSON.parse(stdout) as object) } as never;
    },
    async until(id, fits) {
      let seen = '';
      const look = async () => {
        const status = await project.json<StatusAnswer>('status', id);
        seen = `the run stayed at ${JSON.stringify(status)}`;
        if (fits(status)) return status;
        if (status.phase !== 'closed') return undefined;
        const { stderr } = await project.type('result', id, '--timeout', '1s');
        throw new Error(`${seen}: ${stderr}`);
      };
      return eventually(look, { isFatal: () => true, seen: () => seen });
    },
    open: (barrier) => writeFileSync(join(folder, barrier), ''),
    async close() {
      for (const { child } of workers) child.kill('SIGTERM');
      await Promise.all(workers.map(({ ended }) => ended));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return project;
}

/** A project of all tests of a file, with a worker; where none of them runs, nothing is started that nobody would end. */
export function sharedProject(config?: string, namespace?: string): Project {
  const project = createProject(namespace);
  beforeAll(() => project.startWorker(config));
  afterAll(() => project.close());
  return project;
}

let plans = 0;

export function writePlan(folder: string, plan: unknown): string {
  const file = join(folder, `plan-${++plans}.json`);
  writeFileSync(file, JSON.stringify(plan));
  return file;
}

/** Plans for the capabilities of the fixture. */
export function word(text: string) {
  return { type: 'task', task: `letters of ${text}`, capability: 'letters', arguments: { word: text } };
}

export function slowWord(text: string, barrier: string) {
  return { type: 'task', task: `letters of ${text}`, capability: 'letters.slow', arguments: { word: text, barrier } };
}

export function both(left: unknown, right: unknown) {
  return { goal: 'Letters', plan: { type: 'combine', operator: 'UNION', left, right } };
}

export const BROKEN = { type: 'task', task: 'breaks', capability: 'broken' };

/** A list of steps that read, at once unless told otherwise. */
export function steps(...list: readonly object[]) {
  return {
    goal: 'Steps',
    steps: list.map((step, at) => ({ step_id: at + 1, description: `step ${at + 1}`, ...step })),
  };
}

export function question(text: string, over: object = {}) {
  return { capability: 'ask', arguments: { question: text, ...over } };
}
