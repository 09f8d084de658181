/**
 * The world of a simulated run, and the model beside it that remembers, node key by node key, who approved it and stands
 * by it. It shares no code with what it is compared with.
 */

import type { Decision } from '../../src/run/decision.ts';
import type { ApprovalRule } from '../../src/run/rules.ts';
import type { Flight, Run } from '../../src/run/run.ts';
import { AT, later } from './make-run.ts';
import type { RandomPlan } from './random-plan.ts';

export interface World {
  readonly run: Run;
  ms: number;
  plan: RandomPlan;
  readonly rules: readonly ApprovalRule[];
  readonly flights: { readonly flight: Flight; stopped: boolean }[];
  /** What an activity still works on: a value to be stored, a plan to be compiled. */
  readonly arriving: ((ok: boolean) => void)[];
  /** By node key: who approved it and stands by it, as `person/role`. */
  readonly stands: Map<string, Set<string>>;
  /** Who approved a whole plan and stands by it. */
  readonly readers: Set<string>;
  /** Keys of nodes that were started and not given free to be started again. */
  readonly started: Set<string>;
  /** Question id to the key of the node that asks. */
  readonly askedBy: Map<string, string>;
  /** How often what happened; a property that never reaches its matter proves nothing. */
  readonly seen: Record<string, number>;
  plans: number;
}

/** What the model keeps of a decision that was taken. */
export function remember({ plan, stands, readers }: World, { kind, by, role, nodes }: Decision): void {
  const person = personOf(by);
  const speaker = `${person}/${role ?? ''}`;
  if (kind === 'withdraw') {
    for (const speakers of [readers, ...stands.values()]) {
      for (const one of speakers) if (one.startsWith(`${person}/`)) speakers.delete(one);
    }
  }
  if (kind === 'approve') readers.add(speaker);
  if (kind !== 'approve' && kind !== 'approve-part') return;
  const meant = nodes === undefined ? plan.map((_, node) => node) : nodes.map((id) => Number(id.slice(5)) - 1);
  for (let at = 0; at < meant.length; at++) {
    const node = plan[meant[at] as number];
    if (node === undefined) continue;
    stands.set(node.key, (stands.get(node.key) ?? new Set()).add(speaker));
    for (const needed of [...node.inputs, ...node.after]) if (!meant.includes(needed)) meant.push(needed);
  }
}

/** The model's answer to whether the people who stand by this node are enough. */
export function isCovered({ plan, rules, stands, readers }: World, node: number): boolean {
  const { key = '', effect = 'read', name, cost = 0 } = plan[node] ?? {};
  const strength = { read: 0, idempotent: 1, 'at-most-once': 2 };
  return rules.every((rule) => {
    const about =
      strength[effect] >= strength[rule.effect ?? 'read'] &&
      (rule.capability ?? name) === name &&
      cost >= (rule.minCost ?? 0);
    const people = new Set<string>();
    // Who approved a whole plan is asked about no other read, unless a rule names it.
    const isNamed = rule.capability !== undefined || rule.minCost !== undefined;
    const free = effect === 'read' && !isNamed ? readers : [];
    for (const speaker of [...(stands.get(key) ?? []), ...free]) {
      const [person = '', role = ''] = speaker.split('/');
      if (rule.roles === undefined || rule.roles.includes(role)) people.add(person);
    }
    return !about || people.size >= (rule.count ?? 1);
  });
}

export function digestOf(plan: number): string {
  return plan.toString(16).padStart(8, '0').repeat(8);
}

export function now({ ms }: World): string {
  return later(ms, AT);
}

function personOf(by: string): string {
  return by.trim().toLowerCase();
}

export function count({ seen }: World, what: string): void {
  seen[what] = (seen[what] ?? 0) + 1;
}

/** Asked hundreds of thousands of times, where an assertion of the test runner costs too much. */
export function hold(what: string, got: unknown, wanted: unknown): void {
  if (Object.is(got, wanted)) return;
  const [is, should] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (typeof got !== 'object' || is !== should) throw new Error(`${what}: expected ${should}, got ${is}`);
}
