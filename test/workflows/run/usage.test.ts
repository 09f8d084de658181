/** The cost of a run's models is one sum, whatever work had asked them. */

import { describe, expect, test } from 'vitest';
import { applyEnd } from '../../../src/workflows/run/arrive.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import type { Usage } from '../../../src/protocol/index.ts';
import { approvedRun, AT, handle, landed, REFUSES, turn, wideShape } from './make-run.ts';

const PAID: Usage = { calls: 2, inputTokens: 90, cachedInputTokens: 0, outputTokens: 10, cost: 0.5 };
const TWICE: Usage = { calls: 4, inputTokens: 180, cachedInputTokens: 0, outputTokens: 20, cost: 1 };

describe('the calls of a capability count', () => {
  test('where it has given a result, and where it has failed', () => {
    const run = approvedRun(wideShape(2));
    landed(run, 1, { ...handle('r'), usage: PAID });
    const end = { status: 'failed', type: 'CRITICAL', message: 'broke' } as const;
    const failure = { type: 'CRITICAL', message: 'broke', details: [] } as const;
    applyEnd(run, 2, { ok: false, end, failure, usage: PAID }, AT, REFUSES);
    expect(statusOf(run).usage).toEqual(TWICE);
  });

  test('once where it is held, since it comes again with its replies', () => {
    const run = approvedRun(wideShape(1));
    landed(run, 1, { deferred: 'run', reason: 'its run is paused', usage: PAID });
    const [again] = turn(run).begin;
    landed(run, again!, { ...handle('r'), usage: PAID });
    expect(statusOf(run).usage).toEqual(PAID);
  });
});
