/** A worker sees another state or cost than people were shown, right before an effect. */

import { expect, test } from 'vitest';
import type { Deferral, Preview } from '../../../src/protocol/index.ts';
import { nodesOf, statusOf } from '../../../src/workflows/views/views.ts';
import { approvedRun, executor, landed, later, say, turn, wideShape } from './make-run.ts';

const shown: Preview = { state: 'a', rows: ['magnet 43.9 A -> 46 A'] };
const now: Preview = { state: 'b', rows: ['magnet 41 A -> 46 A'] };
const changed: Deferral = { deferred: 'run', reason: 'its target has changed', seen: { preview: now } };
const planShape = () => ({
  ...wideShape(2, { executors: [executor('at-most-once', 'steer')] }),
  previews: { 0: shown, 1: shown },
});

test('another state asks again, and the effect waits for the answer', () => {
  const run = approvedRun(planShape());
  landed(run, 1, changed);
  expect([turn(run).begin, statusOf(run).phase, run.state.approval.namesShown]).toEqual([
    [],
    'awaiting-approval',
    true,
  ]);
});

test('the trace has what people were shown when they approved', () => {
  const run = approvedRun(planShape());
  const approved = run.state.trace.entries.find(({ what }) => what === 'decision');
  expect(approved?.text).toMatch(/; shown: node_1 magnet 43\.9 A -> 46 A; node_2 magnet 43\.9 A -> 46 A$/);
});

test('a run that was killed meanwhile asks nobody again and begins nothing', () => {
  const run = approvedRun(planShape());
  say(run, 'control', { action: 'kill', by: 'operator', comment: 'no' });
  landed(run, 1, changed);
  const { begin } = turn(run, later(1));
  expect([begin, statusOf(run).outcome, run.state.approval.namesShown]).toEqual([[], 'aborted', undefined]);
});

test('without a rule that asks, the effect begins and is not looked at again', () => {
  const run = approvedRun(planShape(), { approval: { rules: [] } });
  landed(run, 1, changed);
  expect(run.state.trace.entries.map(({ text }) => text).join()).toContain('magnet 41 A');
  expect([turn(run).begin.length, run.execution?.planShape.previews]).toEqual([1, { 1: shown }]);
});

test('an effect that may have begun is uncertain when no worker has its version', () => {
  const run = approvedRun(planShape());
  const away: Deferral = { deferred: 'version', reason: 'another version', mayHaveBegun: true };
  landed(run, 1, away);
  for (let minute = 0; minute < 20; minute += 1) {
    const at = later(minute * 60_000);
    for (const id of turn(run, at).begin) landed(run, id, away, at);
  }
  expect(nodesOf(run).nodes[0]?.status).toBe('uncertain');
});
