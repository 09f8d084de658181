/** The approval of a plan: every decision, in every state, under every set of rules, against an oracle of its own. */

import type { Approval, Signed } from '../../../src/workflows/approval/state.ts';
import { describe, expect, test } from 'vitest';
import { DECISION_KINDS, type ApprovalRule, type Decision, type Refusal } from '../../../src/protocol/index.ts';
import { decide, type DecisionResult, waitOf } from '../../../src/workflows/approval/approval.ts';
import { DIGEST, later } from '../run/make-run.ts';
import { expectedRuling, meantBy, memoryOf, openNodes, type Asks, type Memory } from './oracle.ts';
import { decision, stateAfter, WAIT_MS, type Before } from './said-before.ts';

/** Every rule set, and what it asks node by node, written out. */
const RULE_SETS: Record<string, { rules: readonly ApprovalRule[]; asks: readonly (readonly Asks[])[] }> = {
  all: { rules: [{}], asks: [[{ count: 1 }], [{ count: 1 }], [{ count: 1 }]] },
  effects: { rules: [{ effect: 'idempotent' }], asks: [[], [{ count: 1 }], [{ count: 1 }]] },
  two: { rules: [{ count: 2 }], asks: [[{ count: 2 }], [{ count: 2 }], [{ count: 2 }]] },
  roles: {
    rules: [
      { effect: 'idempotent', roles: ['ops'] },
      { effect: 'at-most-once', roles: ['ops', 'chief'], count: 2 },
    ],
    asks: [
      [],
      [{ count: 1, roles: ['ops'] }],
      [
        { count: 1, roles: ['ops'] },
        { count: 2, roles: ['ops', 'chief'] },
      ],
    ],
  },
};

const HISTORIES: Record<string, Before> = {
  drafting: { drafting: true },
  'just opened': {},
  'approved by operator': { said: [{}] },
  'approved by operator as ops': { said: [{ role: 'ops' }] },
  'approved by operator as ops and reviewer as chief': { said: [{ role: 'ops' }, { by: 'reviewer', role: 'chief' }] },
  'a part approved by operator as ops': { said: [{ kind: 'approve-part', nodes: ['node_2'], role: 'ops' }] },
  'the last part approved by operator': { said: [{ kind: 'approve-part', nodes: ['node_3'] }] },
  'approved by operator as ops and taken back': { said: [{ role: 'ops' }, { kind: 'withdraw' }] },
  rejected: { said: [{ kind: 'reject' }] },
  'rejected, to be edited': { said: [{ kind: 'reject' }], max: { rejections: 2 } },
  'in its last revision': { max: { revisions: 1 } },
  expired: { end: 'expired' },
  cancelled: { said: [{ role: 'ops' }], end: 'cancelled' },
  done: { said: [{ role: 'ops' }, { by: 'reviewer', role: 'chief' }], end: 'done' },
};

const KINDS: readonly Partial<Decision>[] = [
  ...DECISION_KINDS.filter((kind) => kind !== 'approve-part').map((kind) => ({ kind })),
  ...['node_1', 'node_2', 'node_3', 'node_4'].map((node) => ({ kind: 'approve-part' as const, nodes: [node] })),
];
const DIGESTS = ['3fa9c1d2', DIGEST, '3fa9c1d20', 'ffffffff'];
const REVISIONS = [undefined, 1, 2];
const PEOPLE = ['operator', ' OPERATOR', 'reviewer', 'auditor'];
const ROLES = [undefined, 'ops', 'chief', 'guest'];
const MOMENTS = [-1, 0, 1].map((ms) => later(WAIT_MS + ms));

const refusalsSeen = new Set<string>();

for (const [ruleSet, { rules, asks }] of Object.entries(RULE_SETS)) {
  describe(`under the rule set "${ruleSet}"`, () => {
    for (const [history, before] of Object.entries(HISTORIES)) {
      const state = stateAfter(before, rules);
      const memory = memoryOf(before, asks);

      test(`the truth table of every decision, where the plan is ${history}`, () => {
        const frozen = structuredClone(state);
        let rows = 0;
        for (const given of everyDecision()) {
          for (const at of MOMENTS) {
            const ruling = decide(state, given, at);
            const expected = expectedRuling(given, at, before, memory, asks);
            const row = JSON.stringify({ given, at, got: ruling.ok ? 'taken' : ruling });
            if ((ruling.ok ? 'taken' : ruling.refusal) !== expected) expect(row).toBe(expected);
            if (ruling.ok) checkTaken(state, given, at, ruling, memory, asks);
            else {
              refusalsSeen.add(ruling.refusal);
              if (!SAYS_WHAT_TO_DO[ruling.refusal]?.test(ruling.reason)) expect(row).toBe('a reason to go on from');
            }
            rows += 1;
          }
        }
        expect(rows).toBe(
          KINDS.length * DIGESTS.length * REVISIONS.length * PEOPLE.length * ROLES.length * MOMENTS.length,
        );
        expect(state).toEqual(frozen);
      });
    }
  });
}

describe('the table', () => {
  const REACHED: readonly Refusal[] = [
    'already-decided',
    'closed',
    'early',
    'not-possible',
    'stale-digest',
    'stale-revision',
    'too-late',
    'too-many-revisions',
    'unknown-node',
    'wrong-role',
  ];
  test('reaches every refusal that the reducer has', () => {
    expect([...refusalsSeen].toSorted()).toEqual(REACHED);
  });
});

/** Every reason names what is in the way, and so what can be done: the open plan, who spoke, what is waited for. */
const SAYS_WHAT_TO_DO: Partial<Record<Refusal, RegExp>> = {
  early: /^there is no plan yet to (approve|approve-part|reject|revise|edit|withdraw)$/,
  'stale-digest': /the open plan is 3fa9c1d2$/,
  'stale-revision': /the open one is 1$/,
  'already-decided':
    /already said .+ at 2026|already rejected this plan; only an edit or a revision|are approved already/,
  'too-late': /heard at .+, after the deadline of /,
  closed: /waits for no decision; it is (running|expired|cancelled|done|rejected)$/,
  'unknown-node': /this plan has no node_4; it has node_1 to node_3/,
  'wrong-role': /waits for the role .+ spoke (in no role|as )/,
  'too-many-revisions': /at most 1 plans; start another run/,
  'not-possible': /has approved nothing that could be taken back/,
};

function* everyDecision(): Iterable<Signed> {
  for (const kind of KINDS) {
    for (const digest of DIGESTS) {
      for (const revision of REVISIONS) {
        for (const by of PEOPLE) {
          for (const role of ROLES) {
            yield decision({
              ...kind,
              digest,
              by,
              ...(revision !== undefined && { revision }),
              ...(role !== undefined && { role }),
            });
          }
        }
      }
    }
  }
}

/** The state after a decision that was taken. */
function checkTaken(
  before: Approval,
  given: Signed,
  at: string,
  ruling: Extract<DecisionResult, { ok: true }>,
  memory: Memory,
  asks: readonly (readonly Asks[])[],
): void {
  const { approval } = ruling;
  const { kind, by, role } = given;
  if (kind === 'edit' || kind === 'revise') {
    expect(approval).toBe(before);
    return;
  }
  const [last] = approval.decisions.slice(-1);
  expect(last).toEqual({ ...given, at, revision: 1 });
  expect(approval.decisions.length).toBe(before.decisions.length + 1);
  const person = by.trim().toLowerCase();
  const after: Memory = {
    ...memory,
    stands: memory.stands.filter((one) => kind !== 'withdraw' || one.person !== person),
  };
  if (kind.startsWith('approve')) after.stands.push({ person, role, nodes: meantBy(given.nodes) });
  const open = openNodes(after, asks);
  expect(approval.uncovered).toEqual(open);
  const phase =
    kind === 'reject' && approval.bounds.maxRejections === 1
      ? 'closed'
      : open.length > 0
        ? 'awaiting-approval'
        : 'running';
  expect(approval.phase).toBe(phase);
  expect(approval.rejected).toBe(kind === 'reject' && phase !== 'closed');
  // The wait for the rest begins anew with every step towards its end; where nothing is waited for there is no deadline.
  const isStep =
    before.phase === 'running' ||
    (kind.startsWith('approve') && (!memory.approvers.has(person) || open.length < memory.fewest));
  if (phase === 'running') expect(waitOf(approval)).toBeUndefined();
  else expect(waitOf(approval)?.deadline).toBe(isStep ? later(WAIT_MS, at) : later(WAIT_MS));
}
