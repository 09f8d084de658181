/** How a goal is run that does not say it: as its project has it, once that is known. */

import { expect, test } from 'vitest';
import type { RunMode } from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { openPlanRun } from '../../../src/workflows/run/starter.ts';
import { AT, failed, landed, turn, takenUp } from './make-run.ts';
import { PAID } from './replan-run.ts';

/** The first reply of a worker tells the project. */
function told(options: object, mode: RunMode | undefined): Run {
  const opened = openPlanRun('plan-1', AT, { goal: 'Find genes', options }, { firstRunId: 'c' });
  const run = takenUp(opened, undefined);
  const [id = 0] = turn(run).begin;
  const project = { inbox: false, planner: true, ...(mode !== undefined && { mode }) };
  landed(run, id, { stage: 'extract', notes: 'n', usage: PAID, project, outcome: { is: 'extracted' } });
  turn(run);
  return run;
}

const standing = ({ state: { loop, planning, options, failure } }: Run) => [
  loop === undefined ? planning?.stage : 'loop',
  options.approval,
  failure?.type,
  failure === undefined ? planning?.unsaid : undefined,
];

test.each<[object, RunMode | undefined, readonly unknown[]]>([
  [{}, undefined, ['select', 'required', undefined, undefined]],
  [{}, 'plan-first', ['select', 'required', undefined, undefined]],
  [{}, 'reactive', ['loop', 'effects', undefined, undefined]],
  [{ approval: 'required' }, 'reactive', ['loop', 'required', undefined, undefined]],
  [{}, 'auto', ['route', 'required', undefined, undefined]],
  [{ approval: 'required' }, 'auto', ['route', 'required', undefined, undefined]],
  [{ approval: 'effects' }, 'auto', [undefined, 'effects', 'InvalidInput', undefined]],
  [{ mode: 'plan-first' }, 'reactive', ['select', 'required', undefined, undefined]],
  [{ mode: 'auto' }, 'reactive', ['route', 'required', undefined, undefined]],
])('options %j in a project of mode %s', (options, mode, stands) => {
  const run = told(options, mode);
  expect(standing(run).slice(1)).toEqual(stands.slice(1));
  if (stands[0] !== undefined) expect(standing(run)[0]).toBe(stands[0]);
});

test('a worker that failed has told nothing: the goal is planned, and falls back', () => {
  const run = openPlanRun('plan-1', AT, { goal: 'Find genes' }, { firstRunId: 'c' });
  const [id = 0] = turn(run).begin;
  failed(run, id, { status: 'failed', type: 'RETRIABLE', message: 'broke' });
  turn(run);
  expect(standing(run)[0]).toBe('fallback');
});
