/** An at-most-once effect stays a fact of its run when an edit removes its node: a person settles it, and a plan that has it again takes it over. */

import { describe, expect, test } from 'vitest';
import type { PlanShape } from '../../../src/protocol/index.ts';
import { runResult } from '../../../src/workflows/run/ending.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { timerText } from '../../../src/workflows/views/openings.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import {
  AT,
  BROKE,
  bring,
  DIGEST,
  edit,
  executor,
  failed,
  handle,
  landed,
  later,
  openedRun,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  takenUp,
  turn,
  underWay,
} from './make-run.ts';

const NEW = 'e'.repeat(64);
const THIRD = 'd'.repeat(64);
const UNCERTAIN = { ...BROKE, status: 'uncertain' } as const;
const REASON = 'the bank has no such entry';
const OLD = '3fa9c1d2';
const sayOf = (digest: string, more: object = {}) => ({ digest, by: 'operator', ...more });

/** Payments by their claims, none of which needs another. A name before a dot is the same effect in another form. */
function payments(names: readonly string[], digest = DIGEST): PlanShape {
  return shapeOf(
    names.map(() => []),
    {
      digest,
      revisionRef: `rev-${digest.slice(0, 3)}`,
      executors: [{ ...executor('at-most-once', 'transfer', 10), resource: 'bank' }],
      summaries: names.map((name) => `Pay ${name.split('.')[0]}`),
      effectKeys: Object.fromEntries(names.map((name, node) => [node, name.split('.')[0]!])),
      claims: Object.fromEntries(names.map((name, node) => [node, `claim ${name}`])),
      values: Object.fromEntries(names.map((name, node) => [node, [{ name: 'to', text: name.split('.')[0]! }]])),
    },
  );
}

/** The first payment may have happened, and an edit has removed it; others are in the plan. */
function removed(names: readonly string[] = ['tom'], options = {}): Run {
  const run = openedRun(payments(['ann', 'tom']), options);
  say(run, 'decide', sayOf(OLD, { kind: 'approve-part', nodes: ['node_1'] }));
  bring(run, 0, UNCERTAIN, later(1000));
  edit(
    run,
    payments(names, NEW),
    names.map((name) => ['ann', 'tom'].indexOf(name)).map((old) => (old === 0 ? -1 : old)),
  );
  return run;
}

const items = (run: Run) => questionsOf(run).filter(({ kind }) => kind === 'uncertain');

describe('an uncertain effect whose node an edit has removed', () => {
  test('is asked about on every surface, with its values, and the run waits for it', () => {
    const run = removed();
    const [item, ...more] = items(takenUp(run));
    expect(more).toEqual([]);
    expect(item).toMatchObject({ id: `${OLD}.node_1`, digest: DIGEST, revision: 1, nodes: ['node_1'] });
    expect(item?.effects).toMatchObject([
      { node: 'node_1', title: 'transfer: Pay ann', resource: 'bank', values: [{ text: 'ann' }] },
    ]);
    expect(item?.effects?.[0]).not.toHaveProperty('before');
    expect(item?.text).toMatch(
      /^did node_1 of revision 1 \(Pay ann\) happen\? It was begun at 2026.*The open plan does not have it/,
    );
    expect(item?.send.input).toMatchObject({ action: 'resolve', node: 'node_1', digest: OLD, outcome: 'OUTCOME' });
    expect([statusOf(run).waitingFor, timerText(run, AT).includes('more')]).toEqual([2, true]);
    expect(runDetails(run)).toContain('did node\\_1 of revision 1');
    say(run, 'approve', sayOf(NEW, { shown: run.state.approval.shown, comment: REASON }));
    bring(run, 0, handle('r'));
    expect([turn(run).next, run.state.approval.phase]).toEqual(['wait', 'running']);
  });

  test.each([
    ['resolve', { outcome: 'failed' }, [], undefined],
    ['resolve', { outcome: 'succeeded', value: 1 }, [], undefined],
    ['skip-node', {}, ['node_1'], /node_1 of revision 1 \(Pay ann\) may have happened/],
    ['silence', {}, ['node_1'], /node_1 of revision 1 \(Pay ann\) may have happened/],
  ])('is settled by %s %j; what stays uncertain is in the result and the view', (action, more, left, reason) => {
    const run = removed();
    say(run, 'approve', sayOf(NEW, { shown: run.state.approval.shown, comment: REASON }));
    bring(run, 0, handle('r'));
    const at = action === 'silence' ? later(90_000_000) : later(5000);
    if (action !== 'silence')
      expect(say(run, 'control', sayOf(OLD, { action, node: 'node_1', ...more }), at)).toMatchObject({ ok: true });
    for (let turns = 0; turns < 4; turns += 1) turn(run, at);
    expect([items(run), run.state.approval.phase, statusOf(run).outcome]).toEqual([[], 'closed', 'done']);
    expect((runResult(run).uncertain ?? []).map(({ node }) => node)).toEqual(left);
    if (reason === undefined) expect(statusOf(run).reason).toBeUndefined();
    else for (const told of [statusOf(run).reason, run.state.trace.entries.at(-1)?.text]) expect(told).toMatch(reason);
  });

  test.each([
    ['cancel-node', OLD, 'not-possible'],
    ['retry-node', OLD, 'not-possible'],
    ['resolve', NEW, 'not-possible'],
    ['resolve', 'aaaaaaaa', 'stale-digest'],
  ])('%s with digest %s is refused', (action, digest, refusal) => {
    const run = removed();
    const outcome = action === 'resolve' ? { outcome: 'failed' } : {};
    expect(say(run, 'control', sayOf(digest, { action, node: 'node_1', ...outcome }))).toMatchObject({ refusal });
  });

  test('is settled by the roles of its own node, and its value is checked by its own plan', () => {
    const rules = [{ capability: 'transfer', roles: ['cashier'] }];
    const run = openedRun(payments(['ann', 'tom']), { approval: { rules } });
    say(run, 'decide', sayOf(OLD, { kind: 'approve-part', nodes: ['node_1'], role: 'cashier' }));
    bring(run, 0, UNCERTAIN);
    edit(run, shapeOf([[]], { digest: NEW }), [-1]);
    expect(items(run)[0]).toMatchObject({ roles: ['cashier'], send: { input: { role: 'cashier' } } });
    const settle = { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: 1 };
    expect(say(run, 'control', sayOf(OLD, settle))).toMatchObject({ refusal: 'wrong-role' });
    const { work } = sayAndWait(run, 'control', sayOf(OLD, { ...settle, role: 'cashier' }));
    expect(run.tasks[work]).toMatchObject({ request: { do: 'store', node: 'node_1', revision: 'rev-3fa' } });
  });

  test('that was under way is asked about when it has ended so, and not before', () => {
    const run = openedRun(payments(['ann', 'tom']));
    say(run, 'decide', sayOf(OLD, { kind: 'approve-part', nodes: ['node_1'] }));
    const [work] = Object.keys(run.tasks).map(Number);
    edit(run, payments(['tom'], NEW), [1]);
    expect(items(run)).toEqual([]);
    failed(run, work!, UNCERTAIN);
    expect(items(takenUp(run))).toMatchObject([{ id: `${OLD}.node_1` }]);
  });
});

describe('a later plan', () => {
  test.each([
    ['is uncertain', UNCERTAIN, 'uncertain'],
    ['has succeeded', handle('paid'), 'reused'],
    ['has failed', { ...BROKE, status: 'failed' } as const, 'failed'],
    ['is under way', undefined, 'running'],
  ])('that has the effect again takes it over as it was: %s', (_, end, status) => {
    const run = openedRun(payments(['ann', 'tom']));
    say(run, 'decide', sayOf(OLD, { kind: 'approve-part', nodes: ['node_1'] }));
    const [work] = Object.keys(run.tasks).map(Number);
    if (end !== undefined) bring(run, 0, end, later(1000));
    const began = run.execution!.scheduledAt[0];
    edit(run, payments(['tom'], NEW), [1]);
    edit(run, payments(['tom', 'ann'], THIRD), [0, -1], later(9000));
    expect([progressOf(run).status, run.execution!.scheduledAt[1]]).toEqual([['pending', status], began]);
    expect(Object.keys(run.state.removedEffects ?? {})).toEqual([]);
    expect(items(run).map(({ id }) => id)).toEqual(status === 'uncertain' ? ['node_2'] : []);
    say(run, 'approve', sayOf(THIRD, { shown: run.state.approval.shown, comment: REASON }));
    expect(underWay(run).toSorted()).toEqual(status === 'running' ? [1] : [0]);
    if (status === 'running') landed(run, work!, handle('paid'));
    expect(progressOf(run).status[1]).toBe(status === 'running' ? 'succeeded' : status);
  });

  test('that would do it again in another form shows the earlier values, and takes a reason to approve', () => {
    const run = removed(['tom', 'ann.other']);
    const [approval] = questionsOf(run);
    expect(approval?.warning).toContain('Pay ann may have run already (revision 1, node_1)');
    expect(approval?.effects?.[1]?.before).toMatch(
      /^may have run already: transfer: Pay ann, revision 1, node_1, on bank, begun at 2026-01-02 03:04:05Z, with to "?ann/,
    );
    expect(approval?.send.input['comment']).toBe('HOW YOU KNOW THAT IT DID NOT HAPPEN');
    expect(say(run, 'approve', sayOf(NEW, { shown: run.state.approval.shown }))).toMatchObject({
      ok: false,
      refusal: 'not-possible',
    });
    const part = { kind: 'approve-part', nodes: ['node_2'], shown: run.state.approval.shown };
    expect(say(run, 'decide', sayOf(NEW, part))).toMatchObject({ ok: false, refusal: 'not-possible' });
    expect(say(run, 'decide', sayOf(NEW, { ...part, comment: ' \u200b ' }))).toMatchObject({ refusal: 'not-possible' });
    expect(underWay(run)).toEqual([]);
    expect(say(run, 'decide', sayOf(NEW, { ...part, comment: REASON }))).toMatchObject({ ok: true });
    expect(underWay(run)).toEqual([1]);
  });

  test('takes no reason for what a person has settled as not happened', () => {
    const run = removed(['tom', 'ann.other']);
    say(run, 'control', sayOf(OLD, { action: 'resolve', node: 'node_1', outcome: 'failed' }));
    expect(questionsOf(run)[0]).not.toHaveProperty('warning');
    expect(say(run, 'approve', sayOf(NEW, { shown: run.state.approval.shown }))).toMatchObject({ ok: true });
  });
});
