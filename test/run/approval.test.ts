import { describe, expect, test } from 'vitest';
import {
  close,
  decide,
  DRAFTING,
  isGated,
  isStale,
  openRevision,
  REFUSALS,
  type Approval,
} from '../../src/run/approval.ts';
import type { Decision } from '../../src/run/decision.ts';

const AT = '2026-01-02T03:04:05.000Z';
const DIGEST = '3fa9c1d2'.repeat(8);
const OPEN = openRevision(DRAFTING, { digest: DIGEST, gated: true });
const decision = (over: Partial<Decision> = {}): Decision => ({
  kind: 'approve',
  digest: '3fa9c1d2',
  by: 'ana',
  ...over,
});

const DUE = openRevision(DRAFTING, { digest: DIGEST, gated: true, deadline: AT });
const OVERDUE = openRevision(DRAFTING, { digest: DIGEST, gated: true, deadline: '2026-01-02T03:04:04.999Z' });
const APPROVED = after(OPEN, decision());
const REJECTED = after(OPEN, decision({ kind: 'reject' }));
const EXPIRED = close(OPEN, 'expired');

describe('a decision', () => {
  const rows: [string, Approval, Decision, string][] = [
    ['approves the open plan', OPEN, decision(), 'running'],
    ['rejects the open plan', OPEN, decision({ kind: 'reject' }), 'closed'],
    ['may name the whole digest', OPEN, decision({ digest: DIGEST }), 'running'],
    ['may name the revision', OPEN, decision({ revision: 1 }), 'running'],
    ['before the plan is kept', DRAFTING, decision(), 'drafting'],
    ['at its deadline is in time', DUE, decision(), 'running'],
    ['that is heard after its deadline is refused', OVERDUE, decision(), 'too-late'],
    ['for another digest is refused', OPEN, decision({ digest: 'ffffffff' }), 'stale-digest'],
    ['for another revision is refused', OPEN, decision({ revision: 2 }), 'stale-revision'],
    ['after an approval is refused', APPROVED, decision(), 'already-decided'],
    ['that rejects after an approval is refused', APPROVED, decision({ kind: 'reject' }), 'already-decided'],
    ['after a rejection is refused', REJECTED, decision(), 'already-decided'],
    ['after the deadline is refused', EXPIRED, decision(), 'closed'],
    ['for another digest after an approval is stale first', APPROVED, decision({ digest: 'ffffffff' }), 'stale-digest'],
  ];

  test.each(rows)('%s', (_, approval, given, expected) => {
    const ruling = decide(approval, given, AT);
    expect(ruling.ok ? ruling.approval.phase : ruling.refusal).toBe(expected);
  });

  test('that is refused changes nothing and says why', () => {
    const before = structuredClone(APPROVED);
    expect(decide(APPROVED, decision({ by: 'ben' }), AT)).toEqual({
      ok: false,
      refusal: 'already-decided',
      reason: `ana already said approve at ${AT}`,
    });
    expect(APPROVED).toEqual(before);
  });

  test('is recorded with who, when and which revision, as unverified', () => {
    const approved = after(OPEN, decision({ role: 'operator', comment: 'go' }));
    expect(approved.decisions).toEqual([
      {
        kind: 'approve',
        digest: '3fa9c1d2',
        by: 'ana',
        role: 'operator',
        comment: 'go',
        at: AT,
        revision: 1,
        verified: false,
      },
    ]);
  });

  test('that comes early is kept up to a bound', () => {
    let approval = DRAFTING;
    for (let i = 0; i < 100; i++) approval = after(approval, decision());
    expect(decide(approval, decision(), AT)).toMatchObject({ ok: false, refusal: 'early' });
  });
});

test.each([
  ['required', 0, true],
  ['required', 2, true],
  ['effects', 0, false],
  ['effects', 1, true],
] as const)('under "%s" a plan with %i nodes above read waits for a decision: %s', (policy, aboveRead, gated) => {
  expect(isGated(policy, aboveRead)).toBe(gated);
});

function after(approval: Approval, given: Decision): Approval {
  const ruling = decide(approval, given, AT);
  if (!ruling.ok) throw new Error(ruling.reason);
  return ruling.approval;
}

test('a refusal is stale when another plan or another decision is in the way', () => {
  expect(REFUSALS.filter(isStale)).toEqual(['stale-digest', 'stale-revision', 'already-decided']);
});
