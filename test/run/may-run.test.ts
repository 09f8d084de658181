import { expect, test } from 'vitest';
import { close, decide, DRAFTING, openRevision, type Approval } from '../../src/run/approval.ts';
import { mayRun } from '../../src/run/may-run.ts';

const DIGEST = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const gated = openRevision(DRAFTING, { digest: DIGEST, gated: true });
const ungated = openRevision(DRAFTING, { digest: DIGEST, gated: false });
const approved = ruled(gated, 'approve');

const approvals: Record<string, Approval> = {
  drafting: DRAFTING,
  waiting: gated,
  ungated,
  approved,
  rejected: ruled(gated, 'reject'),
  expired: close(gated, 'expired'),
  'a later revision': { ...openRevision(approved, { digest: DIGEST, gated: false }) },
};
const ALLOWED = [
  'approved read DIGEST required',
  'approved idempotent DIGEST required',
  'approved at-most-once DIGEST required',
  'approved read DIGEST effects',
  'approved idempotent DIGEST effects',
  'approved at-most-once DIGEST effects',
  'ungated read DIGEST effects',
  'a later revision read DIGEST effects',
];

for (const [name, approval] of Object.entries(approvals)) {
  for (const effect of ['read', 'idempotent', 'at-most-once'] as const) {
    for (const [label, digest] of [
      ['DIGEST', DIGEST],
      ['OTHER', OTHER],
    ] as const) {
      for (const policy of ['required', 'effects'] as const) {
        const row = `${name} ${effect} ${label} ${policy}`;
        test(`${row}: ${ALLOWED.includes(row) ? 'may run' : 'may not run'}`, () => {
          const permission = mayRun({ effect, digest }, approval, policy);
          expect(permission.ok).toBe(ALLOWED.includes(row));
          if (!permission.ok) expect(permission.reason).not.toBe('');
        });
      }
    }
  }
}

function ruled(approval: Approval, kind: 'approve' | 'reject'): Approval {
  const ruling = decide(approval, { kind, digest: DIGEST, by: 'ana' }, 'now');
  if (!ruling.ok) throw new Error(ruling.reason);
  return ruling.approval;
}
