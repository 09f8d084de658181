/** A grant counts like an approval of its signer, for the plan that it was found for and no other. */

import { expect, test } from 'vitest';
import type { Signed } from '../../../src/workflows/approval/state.ts';
import { approveByGrant, dropGrants, openRevision } from '../../../src/workflows/approval/approval.ts';
import { isCovered } from '../../../src/workflows/approval/coverage.ts';
import { AT, DIGEST } from '../run/make-run.ts';
import { decision, stateAfter } from './said-before.ts';

const SIGNATURE = 'a'.repeat(86);
const grantOf = (by = 'operator', signature = SIGNATURE): Signed => ({
  ...decision({ by, digest: DIGEST }),
  ...{ verified: true, token: `e30.e30.${signature}`, grant: { id: 'b'.repeat(32), use: 1 } },
});
const opened = (count = 1) => stateAfter({}, [{ effect: 'idempotent', count }]);
function granted(except: readonly number[] = [], before = opened(), grant = grantOf()) {
  const decided = approveByGrant(before, grant, except, AT);
  if (!decided.ok) throw new Error(decided.reason);
  return decided.approval;
}

test('it covers all nodes but those that it leaves to people', () => {
  expect(granted()).toMatchObject({
    phase: 'running',
    uncovered: [],
    decisions: [{ grant: { use: 1 }, verified: true }],
  });
  expect(granted([2])).toMatchObject({ phase: 'awaiting-approval', uncovered: [2] });
});

test('two grants of one person are one approval, and two people need a grant each', () => {
  const one = granted([], opened(2));
  expect(one.uncovered).toEqual([1, 2]);
  expect(approveByGrant(one, grantOf('Operator', 'c'.repeat(86)), [], AT)).toMatchObject({
    refusal: 'already-decided',
  });
  expect(granted([], one, grantOf('reviewer', 'd'.repeat(86))).uncovered).toEqual([]);
});

test('it covers no other plan, although each of its nodes is the same', () => {
  const { subject, ...approval } = granted();
  const digest = 'f'.repeat(64);
  const edited = openRevision({ ...approval, subject }, { digest, subject: subject!, at: AT, sameAs: [0, 1, 2] });
  expect(edited.uncovered).toEqual([1, 2]);
  expect(isCovered(2, subject!, edited.consents)).toBe(false);
});

test('what a worker does not let begin by it is asked again, and nothing else is', () => {
  const approval = granted([2]);
  const both = granted([], approval, grantOf('reviewer', 'd'.repeat(86)));
  expect(dropGrants(both, ['e'.repeat(86)], 'it was withdrawn', AT)).toBe(both);
  const dropped = dropGrants(both, [SIGNATURE], 'it was withdrawn', AT);
  expect(dropped).toMatchObject({ phase: 'running', uncovered: [], ungranted: ['it was withdrawn'] });
  expect(dropGrants(dropped, ['d'.repeat(86)], 'it ended', AT)).toMatchObject({
    ...{ phase: 'awaiting-approval', uncovered: [1, 2], ungranted: ['it ended'] },
  });
});
