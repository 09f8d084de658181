/** Small runs for the tests of this room, and the ear that the workflow puts before them, without its activities. */

import type { Effect } from '../../src/plan/index.ts';
import { judge, refused, type MessageName } from '../../src/run/hear.ts';
import type { Progress, ResultHandle } from '../../src/run/progress.ts';
import { openRun, planCompiled, type Heard, type ProjectPolicy, type Run } from '../../src/run/run.ts';
import type { NodeExecutor, RunSlice } from '../../src/run/slice.ts';

export const AT = '2026-01-02T03:04:05.000Z';
export const DIGEST = '3fa9c1d2'.repeat(8);
export const NO_PROJECT: ProjectPolicy = { identity: false, inbox: false };

export function later(ms: number, than: string = AT): string {
  return new Date(Date.parse(than) + ms).toISOString();
}

export function handle(ref: string): ResultHandle {
  return { ref, kind: 'set', count: 3, bytes: 9 };
}

export function executor(effect: Effect, name?: string, cost?: number): NodeExecutor {
  return {
    label: `capability ${name ?? effect}@1 ${effect}`,
    effect,
    ...(name !== undefined && { name }),
    ...(cost !== undefined && { cost }),
    startToCloseMs: 1,
    scheduleToCloseMs: 1,
    heartbeatMs: 1,
    retry: { attempts: 1, initialMs: 1, factor: 1 },
  };
}

/** A plan of reads with these inputs, unless `over` says otherwise. */
export function sliceOf(inputs: RunSlice['inputs'], over: Partial<RunSlice> = {}): RunSlice {
  return {
    goal: 'Find *genes*',
    digest: DIGEST,
    revisionRef: 'rev',
    root: inputs.length - 1,
    inputs,
    executors: [executor('read')],
    executorOf: inputs.map(() => 0),
    summaries: inputs.map((_, node) => `node ${node}`),
    counts: { tasks: inputs.length, combines: 0, aboveRead: 0 },
    text: 'tree',
    warnings: 0,
    ...over,
  };
}

export function openedRun(slice: RunSlice, options: Partial<Run['options']> = {}, project = NO_PROJECT): Run {
  const run = openRun('plan-1');
  run.options = { ...run.options, ...options };
  planCompiled(run, slice, project, AT);
  return run;
}

/** Says something to a run; what it needs from the store is there at once, under this reference. */
export function say(run: Run, name: MessageName, payload: unknown, at: string = AT, ref = 'stored'): Heard {
  const judgement = judge(run, name, payload, false, at);
  if (!judgement.ok) return refused(run, name, judgement, at);
  if (judgement.todo === 'compile') throw new Error('an edit needs a compiled plan');
  const heard = judgement.todo === 'store' ? judgement.take(handle(ref), at) : judgement.take(at);
  return heard.ok ? heard : refused(run, name, heard, at);
}

export function progressOf(run: Run): Progress {
  if (run.progress === undefined) throw new Error('the run has no plan');
  return run.progress;
}
