/** The reading of an operator's word: what is refused before anything is looked at, and why. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '../../../../src/protocol/index.ts';
import { openRun } from '../../../../src/workflows/run/run.ts';
import { openPlanRun } from '../../../../src/workflows/run/starter.ts';
import { judge } from '../../../../src/workflows/run/talk/judge.ts';
import { parseAnswer, parseControl } from '../../../../src/workflows/run/talk/read-message.ts';
import { approvedRun, AT, landed, NO_PROJECT, say, shapeOf, turn } from '../make-run.ts';

const SKIP = { action: 'skip-node', node: 'node_1' };
const running = () => approvedRun(shapeOf([[], [0]]));

describe('a control message', () => {
  test.each<[string, object, reason: string, refusal?: string]>([
    ['an unknown action', { action: 'stop' }, 'action: expected pause or resume or'],
    ['a node for pause', { action: 'pause', node: 'node_1' }, 'node: pause is about the whole run'],
    ['no node for skip', { action: 'skip-node' }, 'node: expected the id of a node'],
    ['a node that is no id', { action: 'skip-node', node: 'node_0' }, 'node: expected'],
    [
      'a node that is not there',
      { action: 'skip-node', node: 'node_9' },
      'has no node_9; it has node_1 to node_2',
      'unknown-node',
    ],
    ['a digest that is none', { ...SKIP, digest: '3f' }, 'digest: expected'],
    ['another plan', { ...SKIP, digest: 'ffffffff' }, 'the open plan is 3fa9c1d2', 'stale-digest'],
    ['no outcome', { action: 'resolve', node: 'node_1' }, 'outcome: expected succeeded or failed'],
    [
      'an outcome of skip',
      { ...SKIP, outcome: 'failed' },
      'unknown key "outcome"; known are action, node, digest, by, role, comment',
    ],
    ['a value of cancel', { action: 'cancel-node', node: 'node_1', value: 1 }, 'unknown key "value"; known are'],
    [
      'success without value',
      { action: 'resolve', node: 'node_1', outcome: 'succeeded' },
      'value: expected the result',
    ],
    ['failure with value', { action: 'resolve', node: 'node_1', outcome: 'failed', value: 1 }, 'value: only resolve'],
    ['nobody', { action: 'pause', by: ' ' }, 'by: expected the name'],
    ['nobody to be seen', { action: 'pause', by: '\u200b' }, 'by: expected the name'],
    ['an unknown key', { action: 'pause', why: 1 }, 'unknown key "why"'],
    ['the kind of another message', { action: 'pause', kind: 'approve' }, 'unknown key "kind"'],
  ])('is refused: %s', (_, over, reason, refusal = 'malformed') => {
    const run = running();
    expect(say(run, 'control', { by: 'operator', ...over })).toMatchObject({
      ok: false,
      refusal,
      reason: expect.stringContaining(reason),
    });
    expect(run.state.trace.entries.at(-1)).toMatchObject({ what: 'refused', said: { refusal } });
  });

  test('may say that it is one, as may an answer', () => {
    const message = { action: 'pause', by: 'operator' };
    expect(parseControl({ kind: 'control', ...message })).toEqual({ ok: true, message });
    const answer = { question: 'q', value: 1, by: 'operator' };
    expect(parseAnswer({ kind: 'answer', ...answer })).toEqual({ ok: true, message: answer });
    expect(parseAnswer({ kind: 'control', ...answer })).toMatchObject({ ok: false });
  });

  test('before there is a plan is early', () => {
    const run = openRun('plan-1', AT);
    const skip = { action: 'skip-node', node: 'node_1', by: 'operator' };
    expect(say(run, 'control', skip)).toMatchObject({ refusal: 'early' });
  });

  test('pause and resume are taken while a goal is planned, and nothing more is planned between them', () => {
    const run = openPlanRun('plan-1', AT, { goal: 'Find genes' }, { firstRunId: 'c' });
    const [first = 0] = turn(run).begin;
    expect(say(run, 'control', { action: 'pause', by: 'operator' })).toMatchObject({ ok: true });
    const outcome = { is: 'extracted' };
    landed(run, first, { notes: 'n', usage: NO_USAGE, project: NO_PROJECT, outcome });
    expect([run.state.planning?.stage, turn(run).begin]).toEqual(['select', []]);
    expect(say(run, 'control', { action: 'resume', by: 'operator' })).toMatchObject({ ok: true, reply: 'resumed' });
    expect(Object.values(run.tasks)).toEqual([{ kind: 'plan' }]);
  });

  test('is read without a throw, whatever arrives', () => {
    const run = running();
    fc.assert(
      fc.property(fc.anything(), (payload) => {
        expect(parseControl(payload)).toHaveProperty('ok');
        judge(run, 'control', { payload, verified: false }, AT);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
