/** What a run that has ended has left, or why nothing. */

import { expect, test } from 'vitest';
import type { RunEnd } from '../../src/client/index.ts';
import { resultOfEnd } from '../../src/client/run-end.ts';
import type { NodeView, RunResult } from '../../src/protocol/index.ts';

const plan = { digest: 'd', revision: 1 };
const result = { ref: 'r', kind: 'text', count: 1, bytes: 1 } as const;
const missing: readonly NodeView[] = [{ id: 'node_1', status: 'failed', summary: 's', executor: 'e' }];
const completed = (ended: RunResult): RunEnd => ({ how: 'completed', result: ended });
const issue = { code: 'no-executor', path: '$.plan', message: 'nobody does it', severity: 'error' } as const;

test.each<[string, RunResult]>([
  ['done', { outcome: 'done', ...plan, result }],
  ['partial', { outcome: 'partial', ...plan, results: { node_2: result }, missing }],
])('%s is what it is', (_, ended) => {
  expect(resultOfEnd('run-1', completed(ended))).toBe(ended);
});

test.each<[string, RunEnd, object]>([
  ['rejected', completed({ outcome: 'rejected', ...plan }), { code: 'not-done', message: /run-1 .*: rejected$/ }],
  [
    'killed',
    completed({ outcome: 'aborted', ...plan, by: 'operator', comment: 'too late', results: { a: result } }),
    { code: 'not-done', message: /aborted, killed by operator: too late$/ },
  ],
  [
    'ended by a cap of its policy, with what it had come to',
    completed({ outcome: 'aborted', ...plan, result }),
    { code: 'not-done', message: /: aborted$/ },
  ],
  [
    'refused by its worker',
    { how: 'failed', type: 'InvalidPlan', message: 'The plan has 1 problem', details: [{ issues: [issue] }] },
    { code: 'invalid-plan', message: /run-1: The plan has 1 problem$/, issues: [issue] },
  ],
  [
    'refused without a reason',
    { how: 'failed', type: 'InvalidPlan', message: 'no', details: [] },
    { code: 'invalid-plan', message: /no$/, issues: [] },
  ],
  [
    'failed',
    { how: 'failed', type: 'PlanFailed', message: 'node_1 failed', details: [{ nodes: missing, total: 1 }] },
    { code: 'not-done', message: /failed: node_1 failed$/ },
  ],
  ['cancelled', { how: 'cancelled', message: 'by hand' }, { code: 'not-done', message: /cancelled: by hand$/ }],
])('%s is an error', (_, end, { message, ...rest }: { message?: RegExp }) => {
  const thrown = catching(() => resultOfEnd('run-1', end));
  expect(thrown).toMatchObject({ name: 'ClientError', ...rest });
  expect((thrown as Error).message).toMatch(message ?? /^$/);
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
