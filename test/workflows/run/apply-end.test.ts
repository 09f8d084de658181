/** What work brings when it lands: whatever an activity returned, and from outside it may be anything. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_NODE_NOTES } from '../../../src/protocol/index.ts';
import { nodesOf } from '../../../src/workflows/views/views.ts';
import {
  approvedRun,
  AT,
  bring,
  BROKE,
  executor,
  failed,
  handle,
  landed,
  later,
  progressOf,
  shapeOf,
  turn,
  writtenOf,
} from './make-run.ts';

const NO_HANDLE = { status: 'failed', type: 'FATAL', message: 'its activity was completed with what is no handle' };

describe('what the activity of a node returned', () => {
  const handles = [handle('r'), { ...handle('r'), more: 1 }];
  test.each(handles)('%j is its result, without fields that no result has', (value) => {
    const run = approvedRun(shapeOf([[], [0]]));
    landed(run, 1, value, later(5));
    expect(progressOf(run)).toMatchObject({ status: ['succeeded', 'pending'], handles: { 0: handle('r') } });
    expect(run.execution!.endedAt).toEqual({ 0: Date.parse(later(5)) });
    expect(turn(run).begin).toEqual([2]);
  });

  test.each([
    ...[undefined, null, '', 'r', 7, [], {}],
    ...[{ ref: 'r' }, { ref: 7, kind: 'set' }, { kind: 'set' }, { asks: 'which?' }, { asks: { text: 1 } }],
  ])('%j is none, and the node has failed', (value) => {
    const run = approvedRun(shapeOf([[], []]));
    landed(run, 1, value);
    const { status, type, message } = NO_HANDLE;
    expect(nodesOf(run).nodes[0]).toMatchObject({ status, failure: { type, message } });
    expect(run.state.trace.entries.at(-1)).toMatchObject({ what: 'node', text: `node_1 failed: ${message}` });
  });

  test.each<[unknown, string[]]>([
    [
      ['odd', 'odder'],
      ['node_1 odd', 'node_1 odder'],
    ],
    [Array.from({ length: 99 }, () => 'odd'), Array.from({ length: MAX_NODE_NOTES }, () => 'node_1 odd')],
    [['odd', 7, null], ['node_1 odd']],
    ['odd', []],
    [undefined, []],
  ])('its notes %j are told in the trace, and are no part of its handle', (notes, told) => {
    const run = approvedRun(shapeOf([[]]));
    landed(run, 1, { ...handle('r'), notes });
    expect(progressOf(run).handles).toEqual({ 0: handle('r') });
    const { entries } = run.state.trace;
    expect(entries.filter(({ what }) => what === 'node').map(({ text }) => text)).toEqual(told);
  });

  test('may be anything, and throws nothing', () => {
    fc.assert(
      fc.property(fc.anything(), fc.boolean(), (value, first) => {
        const run = approvedRun(shapeOf([[], []]), { onFailure: 'ask' });
        landed(run, first ? 1 : 2, value);
        turn(run);
        expect(Object.keys(run.tasks).length).toBe(1);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});

describe('work that has no use any more', () => {
  test('lands once, and what is not under way not at all', () => {
    const run = approvedRun(shapeOf([[], []]));
    landed(run, 1, handle('r'));
    const before = writtenOf(run);
    landed(run, 1, handle('other'));
    failed(run, 99, { ...BROKE, status: 'failed' });
    expect(writtenOf(run)).toBe(before);
  });

  test('asks nobody, where the run was closed meanwhile', () => {
    const run = approvedRun(shapeOf([[], []]));
    run.state.cancelled = true;
    turn(run);
    bring(run, 0, { asks: { text: 'which?' } });
    bring(run, 1, handle('r'));
    expect(turn(run).next).toBe('end');
    expect([Object.keys(run.state.questions).length, progressOf(run).status]).toEqual([0, ['cancelled', 'succeeded']]);
  });

  test('settles nothing for a run that was closed: what is uncertain stays so', () => {
    const run = approvedRun(shapeOf([[]], { executors: [executor('at-most-once')] }));
    run.state.cancelled = true;
    turn(run);
    bring(run, 0, { ...BROKE, status: 'uncertain' });
    expect(turn(run, AT).next).toBe('end');
    expect([progressOf(run).status, Object.keys(run.execution!.unsettled).length]).toEqual([['uncertain'], 0]);
  });
});
