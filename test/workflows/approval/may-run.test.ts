/** The one gate: which nodes may run after what people said, row by row. */

import type { Approval, ApprovalSubject } from '../../../src/workflows/approval/state.ts';
import { describe, expect, test } from 'vitest';
import type { ApprovalPolicy, Decision } from '../../../src/protocol/index.ts';
import { close, decide, openRevision } from '../../../src/workflows/approval/approval.ts';
import { DRAFTING } from '../../../src/workflows/approval/approval.ts';
import { mayRun } from '../../../src/workflows/approval/coverage.ts';
import { rulesOf } from '../../../src/workflows/approval/rules.ts';
import { AT, DIGEST, executor } from '../run/make-run.ts';

const OTHER = 'b'.repeat(64);
const EFFECTS = ['read', 'idempotent', 'at-most-once'] as const;

/** One node of each effect, in that order, none of which needs another. */
function gate(policy: ApprovalPolicy): ApprovalSubject {
  const executors = EFFECTS.map((effect) => executor(effect));
  return { plan: { inputs: [[], [], []], executors, executorOf: [0, 1, 2] }, rules: rulesOf(policy), deadlineMs: 1000 };
}

function opened(policy: ApprovalPolicy): Approval {
  return openRevision(DRAFTING, { digest: DIGEST, subject: gate(policy), at: AT });
}

function said(approval: Approval, ...decisions: Partial<Decision>[]): Approval {
  return decisions.reduce((now, one) => {
    const ruling = decide(now, { kind: 'approve', digest: DIGEST, by: 'operator', verified: false, ...one }, AT);
    if (!ruling.ok) throw new Error(ruling.reason);
    return ruling.approval;
  }, approval);
}

const TWO: ApprovalPolicy = { rules: [{ effect: 'at-most-once', roles: ['ops'], count: 2 }] };
const required = opened('required');
const effects = opened('effects');
const edited = (approval: Approval, sameAs: readonly number[]) =>
  openRevision(approval, { digest: OTHER, subject: approval.subject as ApprovalSubject, at: AT, sameAs });

/** Which of the three nodes may run, as a row of r, i and a. */
const ROWS: [string, Approval, string, string][] = [
  ['nothing, while there is no plan', DRAFTING, '', '---'],
  ['nothing without a word, where all is asked', required, DIGEST, '---'],
  ['reads without a word, where effects are asked', effects, DIGEST, 'r--'],
  ['all that was approved', said(required, {}), DIGEST, 'ria'],
  ['nothing of another plan', said(required, {}), OTHER, '---'],
  ['a part', said(required, { kind: 'approve-part', nodes: ['node_2'] }), DIGEST, '-i-'],
  ['a part beside reads', said(effects, { kind: 'approve-part', nodes: ['node_3'] }), DIGEST, 'r-a'],
  ['what two approved, not what one did', said(opened(TWO), { role: 'ops' }), DIGEST, 'ri-'],
  ['what two approved', said(opened(TWO), { role: 'ops' }, { role: 'ops', by: 'reviewer' }), DIGEST, 'ria'],
  ['nothing whose approval was taken back', said(effects, {}, { kind: 'withdraw' }), DIGEST, 'r--'],
  ['nothing, once rejected', said(required, { kind: 'reject' }), DIGEST, '---'],
  ['nothing, once closed, approved or not', close(said(required, {}), { outcome: 'expired' }), DIGEST, '---'],
  [
    'after an edit the unchanged',
    edited(said(effects, { kind: 'approve-part', nodes: ['node_2'] }), [-1, 1, 2]),
    OTHER,
    'ri-',
  ],
  [
    'after an edit no changed effect',
    edited(said(effects, { kind: 'approve-part', nodes: ['node_2'] }), [0, -1, 2]),
    OTHER,
    'r--',
  ],
  ['after an edit nothing of the plan before', edited(said(effects, {}), [0, 1, 2]), DIGEST, '---'],
];

describe('may run:', () => {
  test.each(ROWS)('%s', (_, approval, digest, expected) => {
    const permissions = [0, 1, 2].map((node) => mayRun({ digest, node }, approval));
    expect(permissions.map(({ ok }, node) => (ok ? 'ria'[node] : '-')).join('')).toBe(expected);
    for (const permission of permissions)
      if (!permission.ok) expect(permission.reason).toMatch(/^(the run|(the )?node)/);
  });

  test('a node that the plan does not have is asked about as the highest effect', () => {
    expect(mayRun({ digest: DIGEST, node: 7 }, effects).ok).toBe(false);
    expect(mayRun({ digest: DIGEST, node: -1 }, effects).ok).toBe(false);
  });
});
