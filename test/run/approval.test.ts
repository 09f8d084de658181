import { describe, expect, test } from 'vitest';
import {
  close,
  decide,
  DRAFTING,
  expire,
  openRevision,
  type Approval,
  type Ruling,
  type Signed,
} from '../../src/run/approval.ts';
import { DECISION_KINDS, type Decision } from '../../src/run/decision.ts';
import { isStale, REFUSALS, type Refusal } from '../../src/run/refusal.ts';
import type { ApprovalRule } from '../../src/run/rules.ts';
import { AT, DIGEST, executor, later } from './make-run.ts';

/** node_1 reads, node_2 changes, node_3 takes both results and acts once. */
const EFFECTS = ['read', 'idempotent', 'at-most-once'] as const;
const INPUTS = [[], [], [0, 1]];
const WAIT_MS = 1000;

/** What every rule set asks, node by node, written out: how many people, of which roles (none: anybody's). */
interface Asks {
  readonly count: number;
  readonly roles?: readonly string[];
}
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

/** What happened before the decision under test. */
interface Before {
  readonly said?: readonly Partial<Decision>[];
  readonly max?: { readonly rejections?: number; readonly revisions?: number };
  readonly end?: 'expired' | 'cancelled' | 'done';
  readonly drafting?: true;
}
const HISTORIES: Record<string, Before> = {
  drafting: { drafting: true },
  'just opened': {},
  'approved by ana': { said: [{}] },
  'approved by ana as ops': { said: [{ role: 'ops' }] },
  'approved by ana as ops and ben as chief': { said: [{ role: 'ops' }, { by: 'ben', role: 'chief' }] },
  'a part approved by ana as ops': { said: [{ kind: 'approve-part', nodes: ['node_2'], role: 'ops' }] },
  'the last part approved by ana': { said: [{ kind: 'approve-part', nodes: ['node_3'] }] },
  'approved by ana as ops and taken back': { said: [{ role: 'ops' }, { kind: 'withdraw' }] },
  rejected: { said: [{ kind: 'reject' }] },
  'rejected, to be edited': { said: [{ kind: 'reject' }], max: { rejections: 2 } },
  'in its last revision': { max: { revisions: 1 } },
  expired: { end: 'expired' },
  cancelled: { said: [{ role: 'ops' }], end: 'cancelled' },
  done: { said: [{ role: 'ops' }, { by: 'ben', role: 'chief' }], end: 'done' },
};

const KINDS: readonly Partial<Decision>[] = [
  ...DECISION_KINDS.filter((kind) => kind !== 'approve-part').map((kind) => ({ kind })),
  ...['node_1', 'node_2', 'node_3', 'node_4'].map((node) => ({ kind: 'approve-part' as const, nodes: [node] })),
];
const DIGESTS = ['3fa9c1d2', DIGEST, '3fa9c1d20', 'ffffffff'];
const REVISIONS = [undefined, 1, 2];
const PEOPLE = ['ana', ' ANA', 'ben', 'cleo'];
const ROLES = [undefined, 'ops', 'chief', 'guest'];
const MOMENTS = [-1, 0, 1].map((ms) => later(WAIT_MS + ms));

/** What the oracle remembers of a history: who approved which nodes and still stands by it, and how it ended. */
interface Memory {
  readonly stands: { person: string; role: string | undefined; nodes: readonly number[] }[];
  decided: boolean;
  rejected: boolean;
}

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
    'no-planner',
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
  early: /^there is no plan yet to (revise|edit|withdraw)$/,
  'stale-digest': /the open plan is 3fa9c1d2$/,
  'stale-revision': /the open one is 1$/,
  'already-decided': /already said .+ at 2026|already rejected this plan; only an edit|are approved already/,
  'too-late': /heard at .+, after the deadline of /,
  closed: /waits for no decision; it is (running|expired|cancelled|done|rejected)$/,
  'unknown-node': /this plan has no node_4; it has node_1 to node_3/,
  'wrong-role': /waits for the role .+ spoke (in no role|as )/,
  'no-planner': /send the plan you want as kind "edit", or reject/,
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

function expectedRuling(
  { kind, digest, revision, by, role, nodes }: Decision,
  at: string,
  before: Before,
  memory: Memory,
  asks: readonly (readonly Asks[])[],
): 'taken' | Refusal {
  if (before.drafting) return ['approve', 'approve-part', 'reject'].includes(kind) ? 'taken' : 'early';
  if (!['3fa9c1d2', DIGEST].includes(digest)) return 'stale-digest';
  if (revision === 2) return 'stale-revision';
  const open = openNodes(memory, asks);
  const isClosed = before.end !== undefined || (memory.rejected && before.max?.rejections === undefined);
  const person = by.trim().toLowerCase();
  const hasApproved = memory.stands.some((one) => one.person === person);
  if (isClosed) return memory.rejected ? 'already-decided' : 'closed';
  // What was said may be taken back as long as the run goes on.
  if (kind === 'withdraw') return hasApproved ? 'taken' : 'not-possible';
  if (open.length === 0) {
    return memory.decided ? 'already-decided' : 'closed';
  }
  if (at > later(WAIT_MS)) return 'too-late';
  if (memory.rejected) {
    if (kind !== 'edit') return 'already-decided';
    return 'taken';
  }
  switch (kind) {
    case 'reject':
      return 'taken';
    case 'revise':
      return 'no-planner';
    case 'edit':
      return before.max?.revisions === 1 ? 'too-many-revisions' : 'taken';
    default: {
      if (nodes?.includes('node_4')) return 'unknown-node';
      const meant = meantBy(nodes).filter((node) => open.includes(node));
      if (meant.length === 0) return 'already-decided';
      const words = meant.flatMap((node) =>
        (asks[node] ?? []).map((ask) => {
          if (ask.roles !== undefined && !ask.roles.includes(role ?? '')) return 'wrong-role';
          const people = speakersFor(memory, node, ask);
          if (people.has(person)) return 'again';
          return people.size < ask.count ? 'counts' : 'enough';
        }),
      );
      if (words.includes('counts')) return 'taken';
      return words.includes('again') ? 'already-decided' : 'wrong-role';
    }
  }
}

/** The state after a decision that was taken. */
function checkTaken(
  before: Approval,
  given: Signed,
  at: string,
  ruling: Extract<Ruling, { ok: true }>,
  memory: Memory,
  asks: readonly (readonly Asks[])[],
): void {
  const { approval } = ruling;
  const { kind, by, role } = given;
  if (before.phase === 'drafting') {
    expect(approval).toEqual({ ...before, early: [given] });
    return;
  }
  if (kind === 'edit') {
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
  // The wait for the rest begins again; where nothing is waited for there is no deadline.
  if (kind !== 'reject') expect(approval.deadline).toBe(phase === 'running' ? undefined : later(WAIT_MS, at));
}

function openNodes(memory: Memory, asks: readonly (readonly Asks[])[]): number[] {
  return [0, 1, 2].filter((node) => (asks[node] ?? []).some((ask) => speakersFor(memory, node, ask).size < ask.count));
}

function speakersFor({ stands }: Memory, node: number, { roles }: Asks): Set<string> {
  const heard = stands.filter(
    (one) => one.nodes.includes(node) && (roles === undefined || roles.includes(one.role ?? '')),
  );
  return new Set(heard.map(({ person }) => person));
}

/** node_3 stands on the other two. */
function meantBy(nodes: readonly string[] | undefined): number[] {
  if (nodes === undefined || nodes.includes('node_3')) return [0, 1, 2];
  return nodes.map((id) => Number(id.slice(5)) - 1);
}

/** A decision of a history that the rules do not let count leaves no memory. */
function memoryOf(before: Before, asks: readonly (readonly Asks[])[]): Memory {
  const memory: Memory = { stands: [], decided: false, rejected: false };
  for (const one of before.said ?? []) {
    const said = decision(one);
    if (expectedRuling(said, AT, {}, memory, asks) !== 'taken') continue;
    memory.decided = true;
    if (said.kind === 'reject') memory.rejected = true;
    else if (said.kind === 'withdraw') memory.stands.length = 0;
    else memory.stands.push({ person: said.by, role: said.role, nodes: meantBy(said.nodes) });
  }
  return memory;
}

function stateAfter({ said = [], max = {}, end, drafting }: Before, rules: readonly ApprovalRule[]): Approval {
  if (drafting) return DRAFTING;
  const bounds = { maxRejections: max.rejections ?? 1, maxRevisions: max.revisions ?? 20 };
  const plan = { inputs: INPUTS, executors: EFFECTS.map((effect) => executor(effect)), executorOf: [0, 1, 2] };
  let approval = openRevision(
    { ...DRAFTING, bounds },
    { digest: DIGEST, gate: { plan, rules, deadlineMs: WAIT_MS }, at: AT },
  );
  for (const one of said) {
    const ruling = decide(approval, decision(one), AT);
    if (ruling.ok) approval = ruling.approval;
  }
  return end === undefined ? approval : close(approval, end);
}

function decision(over: Partial<Decision> = {}): Signed {
  return { kind: 'approve', digest: '3fa9c1d2', by: 'ana', verified: false, ...over };
}

describe('what comes before the plan', () => {
  test('is kept up to a bound, and the rest is refused', () => {
    let approval = DRAFTING;
    for (let i = 0; i < 100; i++) {
      const ruling = decide(approval, decision({ by: `p${i}` }), AT);
      if (!ruling.ok) throw new Error(ruling.reason);
      approval = ruling.approval;
    }
    expect(decide(approval, decision(), AT)).toMatchObject({ ok: false, refusal: 'early' });
    // The same once more is the same message.
    expect(decide(approval, decision({ by: 'p7' }), AT)).toEqual({ ok: true, approval });
    expect(approval.early).toHaveLength(100);
  });
});

describe('silence', () => {
  const waiting = stateAfter({}, [{}]);

  test.each([
    ['before its deadline', waiting, -1, 'awaiting-approval'],
    ['at its deadline', waiting, 0, 'closed'],
    ['after its deadline', waiting, 1, 'closed'],
    ['where everything is approved', stateAfter({ said: [{}] }, [{}]), 1, 'running'],
    ['while a part waits', stateAfter({ said: [{ kind: 'approve-part', nodes: ['node_1'] }] }, [{}]), 1, 'closed'],
  ] as const)('%s', (_, approval, ms, phase) => {
    const after = expire(approval, later(WAIT_MS + ms));
    expect(after.phase).toBe(phase);
    expect(after.outcome).toBe(phase === 'closed' ? 'expired' : undefined);
  });

  test('ends a run once', () => {
    expect(close(close(waiting, 'expired'), 'done').outcome).toBe('expired');
  });
});

describe('rejections', () => {
  test('end the run at their limit, counted over all its plans', () => {
    const once = stateAfter(HISTORIES['rejected, to be edited'] as Before, [{}]);
    const edited = openRevision(once, { digest: 'e'.repeat(64), gate: once.gate as never, at: AT });
    expect(edited).toMatchObject({ revision: 2, rejected: false, phase: 'awaiting-approval' });
    const ruling = decide(edited, decision({ kind: 'reject', digest: 'e'.repeat(8), by: 'ben' }), AT);
    expect(ruling).toMatchObject({ ok: true, approval: { phase: 'closed', outcome: 'rejected' } });
  });
});

describe('one person', () => {
  test.each(['ANA', ' ana ', 'ａｎａ', 'a\u200bna', 'ana\ufeff'])('is one, also written as %j', (by) => {
    const ruling = decide(stateAfter({ said: [{}] }, [{ count: 2 }]), decision({ by }), AT);
    expect(ruling).toMatchObject({ ok: false, refusal: 'already-decided' });
  });

  test.each(['anna', 'an a', 'anа'])('is another as %j', (by) => {
    expect(decide(stateAfter({ said: [{}] }, [{ count: 2 }]), decision({ by }), AT)).toMatchObject({ ok: true });
  });

  test('in two roles is still one', () => {
    const rules = [{ roles: ['ops', 'chief'], count: 2 }];
    const state = stateAfter({ said: [{ role: 'ops' }] }, rules);
    expect(decide(state, decision({ role: 'chief' }), AT)).toMatchObject({ ok: false, refusal: 'already-decided' });
  });

  test('in two roles may satisfy a rule for each', () => {
    const state = stateAfter({ said: [{ role: 'ops' }] }, [{ roles: ['ops'] }, { roles: ['chief'] }]);
    expect(state.phase).toBe('awaiting-approval');
    expect(decide(state, decision({ role: 'chief' }), AT)).toMatchObject({ ok: true, approval: { phase: 'running' } });
  });
});

test('a refusal is stale when another plan or another decision is in the way', () => {
  expect(REFUSALS.filter(isStale)).toEqual(['stale-digest', 'stale-revision', 'already-decided', 'already-answered']);
});
