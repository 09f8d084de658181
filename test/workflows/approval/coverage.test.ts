/** What an edit leaves of what people approved, on random plans and rules, against a memory of its own. */

import type { Approval, ApprovalSubject } from '../../../src/workflows/approval/state.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, openRevision } from '../../../src/workflows/approval/approval.ts';
import { DRAFTING } from '../../../src/workflows/approval/approval.ts';
import { AT } from '../run/make-run.ts';
import { applyEdit, edits, plans, ROLES, rules, planShapeOf, type RandomPlan } from '../run/random-plan.ts';

describe('after an edit', () => {
  const words = fc.array(
    fc.record({
      by: fc.constantFrom('operator', 'reviewer'),
      role: fc.constantFrom(undefined, ...ROLES),
      nodes: fc.oneof(fc.constant(undefined), fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 2 })),
    }),
    { maxLength: 4 },
  );

  test('a node asks again exactly when its rules are not met by those who approved it, or, of a read, approved a whole plan', () => {
    let asked = 0;
    let kept = 0;
    fc.assert(
      fc.property(
        plans,
        rules,
        words,
        fc.array(fc.tuple(edits, words), { minLength: 1, maxLength: 3 }),
        (first, asks, said, changes) => {
          let plan = first;
          let approval = openRevision(DRAFTING, { digest: digestOf(0), subject: gateOf(plan, asks), at: AT });
          const stands = new Map<string, Set<string>>();
          const readers = new Set<string>();
          approval = sayAll(approval, plan, said, stands, readers);
          for (const [index, [change, then]] of changes.entries()) {
            const { plan: next, sameAs } = applyEdit(plan, change, index + 1);
            approval = openRevision(approval, {
              digest: digestOf(index + 1),
              subject: gateOf(next, asks),
              at: AT,
              sameAs,
            });
            const before = new Set(plan.map(({ key }) => key));
            for (const { key } of next) if (!before.has(key)) stands.delete(key);
            plan = next;
            const open = plan.flatMap((node, at) =>
              isMet(node, asks, stands.get(node.key) ?? new Set(), readers) ? [] : [at],
            );
            expect(approval.uncovered).toEqual(open);
            expect(approval.phase).toBe(open.length > 0 ? 'awaiting-approval' : 'running');
            asked += open.length;
            kept += plan.length - open.length;
            approval = sayAll(approval, plan, then, stands, readers);
          }
        },
      ),
      { seed: 3, numRuns: 800 },
    );
    expect(asked > 500 && kept > 500).toBe(true);
  });
});

function sayAll(
  approval: Approval,
  plan: RandomPlan,
  words: readonly { by: string; role: string | undefined; nodes: readonly number[] | undefined }[],
  stands: Map<string, Set<string>>,
  readers: Set<string>,
): Approval {
  return words.reduce((now, { by, role, nodes: picks }) => {
    const nodes = picks?.map((pick) => pick % plan.length);
    const kind =
      nodes === undefined
        ? { kind: 'approve' as const }
        : { kind: 'approve-part' as const, nodes: nodes.map((node) => `node_${node + 1}`) };
    const ruling = decide(
      now,
      { ...kind, digest: now.digest, by, verified: false, ...(role !== undefined && { role }) },
      AT,
    );
    if (!ruling.ok) return now;
    const speaker = `${by}/${role ?? ''}`;
    if (nodes === undefined) readers.add(speaker);
    const meant = new Set(nodes ?? plan.map((_, node) => node));
    for (const node of meant) {
      const { key = '', inputs = [], after = [] } = plan[node] ?? {};
      stands.set(key, (stands.get(key) ?? new Set()).add(speaker));
      for (const needed of [...inputs, ...after]) meant.add(needed);
    }
    return ruling.approval;
  }, approval);
}

function isMet(
  { effect, name, cost }: RandomPlan[number],
  asks: ApprovalSubject['rules'],
  speakers: ReadonlySet<string>,
  readers: ReadonlySet<string>,
): boolean {
  const strengths = { read: 0, idempotent: 1, 'at-most-once': 2 };
  return asks.every((rule) => {
    if (strengths[effect] < strengths[rule.effect ?? 'read']) return true;
    if ((rule.capability ?? name) !== name || cost < (rule.minCost ?? 0)) return true;
    // Who approved a whole plan is asked about no other read, unless a rule names it.
    const isNamed = rule.capability !== undefined || rule.minCost !== undefined;
    const heard = [...speakers, ...(effect === 'read' && !isNamed ? readers : [])]
      .map((one) => one.split('/'))
      .filter(([, role = '']) => rule.roles?.includes(role) ?? true);
    return new Set(heard.map(([person]) => person)).size >= (rule.count ?? 1);
  });
}

function gateOf(plan: RandomPlan, asks: ApprovalSubject['rules']): ApprovalSubject {
  return { plan: planShapeOf(plan, digestOf(9)), rules: asks, deadlineMs: 1000 };
}

function digestOf(revision: number): string {
  return String(revision).repeat(64).slice(0, 64);
}
