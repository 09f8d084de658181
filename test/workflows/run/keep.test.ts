/** What a run that ends leaves in its conversation. */

import { describe, expect, test } from 'vitest';
import { resultsToKeep } from '../../../src/workflows/run/ending.ts';
import { openLoop } from '../../../src/workflows/loop/loop.ts';
import { closeRun, openRun } from '../../../src/workflows/run/run.ts';
import { approvedRun, AT, bring, BROKE, handle, later, shapeOf, turn, wideShape } from './make-run.ts';

const conversation = 'reef';

describe('Osprey: context reuse: a run leaves', () => {
  test('the results of its steps, in the order in which they ended, also where it fails', () => {
    const run = approvedRun(wideShape(3, { contextKeys: ['a', 'b', 'c'] }), { conversation });
    turn(run);
    bring(run, 1, handle('second'), later(1));
    bring(run, 0, handle('first'), later(2));
    bring(run, 2, { ...BROKE, status: 'failed' }, later(3));
    turn(run, later(4));
    expect(resultsToKeep(run)).toEqual({
      firstRunId: '',
      conversation,
      outcome: 'failed',
      goal: 'Find *genes*',
      revision: 'rev',
      steps: [
        { nodeId: 'node_2', ref: 'second' },
        { nodeId: 'node_1', ref: 'first' },
      ],
      left: 0,
    });
  });

  test('of many the last 100, how many it has left out, and that a model that had read a page wrote the plan', () => {
    const keys = Array.from({ length: 130 }, (_, at) => `k${at}`);
    const shape = wideShape(130, { contextKeys: keys, written: 'node_1 (web page)' });
    const run = approvedRun(shape, { conversation, concurrency: 130 });
    turn(run);
    for (const at of keys.keys()) bring(run, at, handle(`r${at}`), later(at));
    const { steps = [], left, untrusted } = resultsToKeep(run) ?? {};
    expect([steps.length, steps[0]?.ref, steps.at(-1)?.ref, left, untrusted]).toEqual([100, 'r30', 'r129', 30, true]);
  });

  test('the result of its root, where nothing has a key', () => {
    const run = approvedRun(shapeOf([[], [0]]), { conversation });
    turn(run);
    bring(run, 0, handle('below'));
    expect(resultsToKeep(run)).toBeUndefined();
    turn(run);
    bring(run, 1, handle('whole'));
    turn(run);
    expect(resultsToKeep(run)).toEqual({
      firstRunId: '',
      conversation,
      outcome: 'done',
      goal: 'Find *genes*',
      steps: [],
      left: 0,
      result: 'whole',
    });
  });

  test('what a loop has come to', () => {
    const run = openRun('plan-1', AT);
    run.state.options = { ...run.state.options, conversation };
    run.state.loop = openLoop({ goal: 'Find' }, 5);
    expect(resultsToKeep(run)).toBeUndefined();
    run.state.loop.result = handle('answer');
    closeRun(run, 'done', AT);
    expect(resultsToKeep(run)).toMatchObject({ goal: 'Find', result: 'answer', outcome: 'done' });
  });

  test('nothing without a conversation, without a result, and as an agent', () => {
    const run = approvedRun(shapeOf([[]]), { conversation });
    turn(run);
    expect(resultsToKeep(run)).toBeUndefined();
    bring(run, 0, handle('whole'));
    run.state.parent = { key: 'w', out: {} };
    expect(resultsToKeep(run)).toBeUndefined();
    const other = approvedRun(shapeOf([[]]));
    turn(other);
    bring(other, 0, handle('whole'));
    expect(resultsToKeep(other)).toBeUndefined();
  });
});
