/** How a run ends: what the workflow returns, or what it fails with, and what is left of a run that was closed before. */

import { describe, expect, test } from 'vitest';
import { endingOf, runResult } from '../../../src/workflows/run/ending.ts';
import { fail, startNext, succeed } from '../../../src/workflows/run/nodes/progress.ts';
import { closeRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { AT, BROKE, DIGEST, handle, openedRun, progressOf, shapeOf, wideShape } from './make-run.ts';

const PLAN_SHAPE = shapeOf([[], [], [0, 1]], { summaries: ['exons', 'repeats', 'exons MINUS repeats'] });

describe('the end of a run', () => {
  test('is done with the handle of the root', () => {
    expect(endingOf(finished([0, 1, 2]))).toMatchObject({ ok: true, outcome: 'done', result: { result: handle('r') } });
  });

  test('is a failure that tells every node without a result', () => {
    const ending = endingOf(finished([1]));
    expect(ending).toMatchObject({
      ok: false,
      failure: { type: 'PlanFailed', message: 'node_1 failed: broke (exons)' },
    });
    expect(ending.ok ? [] : ending.failure.details).toMatchObject([
      {
        nodes: [
          { id: 'node_1', status: 'failed' },
          { id: 'node_3', status: 'skipped', cause: 'node_1' },
        ],
      },
    ]);
  });

  test('counts what it does not tell', () => {
    const run = openedRun(wideShape(150, { summaries: [] }));
    for (let node = 0; node < 150; node++) fail(progressOf(run), node, 'failed', BROKE);
    const ending = endingOf(run);
    expect(ending).toMatchObject({ ok: false, failure: { message: 'node_1 failed and 149 more: broke ()' } });
    expect(ending.ok ? [] : ending.failure.details).toMatchObject([{ total: 150, nodes: { length: 100 } }]);
  });

  test('is partial where that was asked for: results that nothing used, and what is missing', () => {
    const run = finished([1]);
    run.state.options = { ...run.state.options, onFailure: 'partial' };
    expect(endingOf(run)).toMatchObject({
      ok: true,
      outcome: 'partial',
      result: { results: { node_2: handle('r') }, missing: [{ id: 'node_1' }, { id: 'node_3' }] },
    });
  });

  test('leaves what was done, also where the run was closed before it', () => {
    const run = finished([1]);
    closeRun(run, 'expired', AT);
    expect(runResult(run)).toMatchObject({
      outcome: 'expired',
      results: { node_2: handle('r') },
      missing: { length: 2 },
    });
    const untouched = openedRun(PLAN_SHAPE);
    closeRun(untouched, 'rejected', AT);
    expect(runResult(untouched)).toEqual({ outcome: 'rejected', digest: DIGEST, revision: 1 });
  });

  test('is set once, with one entry in the trace', () => {
    const run = openedRun(PLAN_SHAPE);
    closeRun(run, 'expired', AT);
    closeRun(run, 'done', AT);
    expect(statusOf(run).outcome).toBe('expired');
    expect(run.state.trace.entries.filter(({ what }) => what === 'closed')).toHaveLength(1);
  });
});

/** A run whose nodes have all ended; those of `succeeding` with a result. */
function finished(succeeding: readonly number[]): Run {
  const run = openedRun(PLAN_SHAPE);
  const progress = progressOf(run);
  for (let node = startNext(progress); node !== undefined; node = startNext(progress)) {
    if (succeeding.includes(node)) succeed(progress, node, handle('r'));
    else fail(progress, node, 'failed', BROKE);
  }
  return run;
}
