/** A project folder with a task queue of its own on the shared server, and a worker of the built program. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { CONFIG, planwright, start, type Started, type Typed } from './planwright.ts';

export interface Project {
  readonly folder: string;
  readonly taskQueue: string;
  readonly env: Readonly<Record<string, string>>;
  /** Types a command here. */
  type(...args: string[]): Promise<Typed>;
  /** Types a command here and goes on while it runs. */
  begin(...args: string[]): Started;
  /** Starts a run of the plan and returns its id. */
  detach(plan: unknown, ...options: string[]): Promise<string>;
  startWorker(): Promise<Started>;
  /** Lets the tasks go on that wait for this barrier. */
  open(barrier: string): void;
  close(): Promise<void>;
}

let projects = 0;

export function createProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-project-'));
  const taskQueue = `cli-${process.pid}-${Date.now().toString(36)}-${++projects}`;
  const env = {
    TEMPORAL_ADDRESS: inject('address'),
    TEMPORAL_CLI_PATH: inject('cliPath'),
    FIXTURE_DIR: folder,
    PLANWRIGHT_STORE: join(folder, 'results'),
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
      return typed.stdout.trim();
    },
    async startWorker() {
      const worker = start(['worker', '--config', CONFIG, '--task-queue', taskQueue], { env, cwd: folder });
      workers.push(worker);
      await worker.said(/worker ready on task queue/);
      return worker;
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
