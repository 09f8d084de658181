/** The rounds of a loop in the turns of its run: when the next decision is made, and when none is. */

import { expect, test } from 'vitest';
import { openLoop } from '../../src/engine/run/loop/index.ts';
import { MAX_STEP_REJECTIONS } from '../../src/engine/run/loop/loop.ts';
import { gateOf } from '../../src/engine/run/run.ts';
import type { RunSlice } from '../../src/wire/contract/index.ts';
import { begin } from '../../src/engine/run/work.ts';
import { executor, openedRun, say, turn, wideSlice, DIGEST } from './make-run.ts';

test('the tenth rejection in a row ends the loop, and buys no further decision', () => {
  const run = openedRun(wideSlice(1, { executors: [executor('at-most-once')] }), { maxRejections: 99 });
  const loop = openLoop({ goal: 'Set it' }, 50);
  run.dialogue.loop = Object.assign(loop, {
    round: MAX_STEP_REJECTIONS,
    rejections: MAX_STEP_REJECTIONS - 1,
    step: { round: MAX_STEP_REJECTIONS, summary: 'Set it' },
  });
  say(run, 'decide', { kind: 'reject', digest: DIGEST.slice(0, 8), by: 'operator' });
  const orders = turn(run);
  expect(run.dialogue.approval).toMatchObject({ phase: 'closed', outcome: 'rejected' });
  expect([[...run.work.values()].map(({ kind }) => kind), orders.begin, loop.round]).toEqual([
    [],
    [],
    MAX_STEP_REJECTIONS,
  ]);
});

test('a chat that is only answered asks nobody; any other plan of the same run does', () => {
  const { dialogue } = openedRun(wideSlice(1), { approval: 'required' });
  const rulesOf = (slice: RunSlice, isAnswer: boolean) =>
    gateOf({ ...dialogue, ...(isAnswer && { isAnswer: true as const }) }, slice).rules;
  const answer = wideSlice(1, { executors: [executor('read', 'respond')] });
  const search = wideSlice(1, { executors: [executor('read', 'search')] });
  expect([rulesOf(answer, true), rulesOf(answer, false), rulesOf(search, true)]).toEqual([
    [{ effect: 'idempotent' }],
    [{}],
    [{}],
  ]);
});

test('nothing is begun in a closed run but what a reply waits for', () => {
  const run = openedRun(wideSlice(1));
  say(run, 'decide', { kind: 'reject', digest: DIGEST.slice(0, 8), by: 'operator' });
  turn(run);
  Object.assign(run.dialogue.approval, { phase: 'closed' });
  const before = run.begun;
  const kinds = [
    { kind: 'decide' },
    { kind: 'plan' },
    { kind: 'draft' },
    { kind: 'report' },
    { kind: 'node', node: 0 },
  ] as const;
  expect(kinds.map((work) => begin(run, work))).toEqual(kinds.map(() => false));
  expect(run.begun).toBe(before);
});
