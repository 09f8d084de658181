/**
 * The world of a simulated run, and the model beside it that remembers, node key by node key, who approved it and stands
 * by it. It shares no code with what it is compared with.
 */

import type { ApprovalRule, Decision, HistoryBudget, MessageName, Reply } from '../../../../src/protocol/index.ts';
import type { Incoming } from '../../../../src/workflows/run/arrive.ts';
import type { Pressure } from '../../../../src/workflows/run/drain.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { AT, later } from '../make-run.ts';
import type { RandomEdit, RandomPlan } from '../random-plan.ts';

export interface World {
  /** Another one with the same content takes its place when the run is written down and taken up again. */
  run: Run;
  ms: number;
  plan: RandomPlan;
  /** The rules of the open plan: of one that no model has made, every node waits for a person. */
  rules: readonly ApprovalRule[];
  readonly ownRules: readonly ApprovalRule[];
  /** What `orders.begin` named and what has not landed, by its id. */
  readonly flights: Map<number, Flight>;
  /** What was said, by the message's id. */
  readonly sent: Map<number, Sent>;
  /** By node key: who approved it and stands by it, as `person/role`. */
  readonly stands: Map<string, Set<string>>;
  /** Who approved a whole plan and stands by it. */
  readonly readers: Set<string>;
  /** Keys of nodes that were started and not given free to be started again. */
  readonly started: Set<string>;
  /** Keys of nodes that were stopped for the number of events. */
  readonly drainedOnce: Set<string>;
  /** Parts that were told to stop. */
  readonly halted: Set<string>;
  /** Question id to the key of the node that asks. */
  readonly askedBy: Map<string, string>;
  /** How often what happened; a property that never reaches its matter proves nothing. */
  readonly seen: Record<string, number>;
  plans: number;
  /** How long one history may get. */
  readonly budget: HistoryBudget | undefined;
  history: History;
  /** Counts turns. */
  turn: number;
  /** What the store says, in turn, when a run is to go on in a new history. */
  readonly store: readonly boolean[];
  /** Pages that are in the store. */
  readonly pages: Map<string, string>;
  /** The number of the last entry of the trace that was looked at. */
  looked: number;
  /** The last turn was taken at this time, under this pressure, and left nothing to do until it is due. */
  rest: { readonly ms: number; readonly pressure: Pressure; readonly due: string | undefined } | undefined;
  /** Since when every node has ended. */
  ranOut: string | undefined;
  ended: boolean;
  /** What has arrived beside messages, for the next turn. */
  readonly line: Incoming[];
}

/** Work under way. */
export interface Flight {
  readonly id: number;
  readonly kind: 'draft' | 'node' | 'message' | 'default' | 'plan';
  /** Of a node. */
  readonly key?: string;
  readonly effect?: RandomPlan[number]['effect'];
  readonly resource?: string;
  /** The part in which it is carried out. */
  readonly part?: string;
  /** Of an edit, or a revision that the planner makes: its plan, with the nodes of the open one that its nodes are. */
  readonly edited?: { readonly plan: RandomPlan; readonly sameAs: readonly number[]; readonly digest: string };
  /** It is made by the planner. */
  readonly isPlanned?: true;
  /** It asks whose word counts. */
  readonly asksKeys?: true;
  /** What is to be stored. */
  readonly value?: unknown;
  /** When the message was heard that it is for. */
  readonly at?: string;
  stopped: boolean;
  /** It was asked to stop for a new history. */
  drained?: true;
}

export interface Spoken {
  readonly name: MessageName;
  readonly payload: unknown;
  readonly edit?: RandomEdit;
  /** Whether it comes as an update, which is answered. */
  readonly update: boolean;
  /** It comes in the other way as well. */
  readonly twice?: boolean;
}

export interface Sent extends Omit<Spoken, 'update' | 'twice'> {
  readonly at: string;
  /** The number of the turn in which it was received. */
  readonly turn: number;
  readonly update?: string;
  /** The history in which its sender waits, or has waited, for the answer. */
  history: number;
  kept: boolean;
  /** Senders who wait for it in this history. */
  waiting: number;
  reply?: Reply;
  /** It said what was so already. */
  isNoEvent?: true;
  /** It is another one, sent once more. */
  readonly again?: Sent;
}

/** One of the histories in which a run goes on. */
export interface History {
  readonly number: number;
  events: number;
  /** From when on what is under way is stopped, and the pressure under which that is so. */
  drainedAt?: number;
  pressure?: Pressure;
  /** The store has refused: not before this time is it asked again. */
  notBefore: number;
}

export function openHistory(number: number): History {
  return { number, events: 0, notBefore: 0 };
}

const DRAIN_MS = 5000;

/** Whether the model lets nothing new begin now, so that the run comes to rest; for events not while something lasts. */
export function isHeld({ history, ms, flights, drainedOnce }: World, pressure: Pressure): boolean {
  const isLasting = [...flights.values()].some(
    ({ kind, isPlanned, key = '' }) =>
      kind === 'plan' || isPlanned === true || (kind === 'node' && drainedOnce.has(key)),
  );
  const isRefused = ms < history.notBefore && pressure !== 'hard';
  const isDue = pressure !== 'none' && !isRefused && !(pressure === 'events' && isLasting);
  history.pressure = pressure;
  if (isDue) history.drainedAt ??= ms + DRAIN_MS;
  else delete history.drainedAt;
  return isDue;
}

/**
 * No person has asked for this plan: whoever approved a whole plan is asked about other reads as well, and whoever approved an effect is
 * asked anew where it follows other nodes than before.
 */
export function makeAnew(world: World, plan: RandomPlan, isFallback: boolean): void {
  world.rules = isFallback ? [{}] : world.ownRules;
  const before = new Map(world.plan.map((node) => [node.key, followed(world.plan, node)]));
  const keys = new Set(plan.map(({ key }) => key));
  world.readers.clear();
  for (const key of world.stands.keys()) if (!keys.has(key)) world.stands.delete(key);
  for (const node of plan) {
    if (node.effect !== 'read' && before.get(node.key) !== followed(plan, node)) world.stands.delete(node.key);
  }
  world.plan = plan;
}

function followed(plan: RandomPlan, { after }: RandomPlan[number]): string {
  return after
    .map((one) => plan[one]?.key)
    .toSorted()
    .join();
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
  return rules.every((rule) => {
    const people = new Set<string>();
    // Who approved a whole plan is asked about no other read, unless a rule names it.
    const isNamed = rule.capability !== undefined || rule.minCost !== undefined;
    const free = effect === 'read' && !isNamed ? readers : [];
    for (const speaker of [...(stands.get(key) ?? []), ...free]) {
      const [person = '', role = ''] = speaker.split('/');
      if (rule.roles === undefined || rule.roles.includes(role)) people.add(person);
    }
    return !isAbout(rule, { effect, name, cost }) || people.size >= (rule.count ?? 1);
  });
}

/** A node whose repetition several people have to approve again. */
export function isAskedTwice({ plan, rules }: World, node: number): boolean {
  const { effect = 'read', name, cost = 0 } = plan[node] ?? {};
  return rules.some((rule) => (rule.count ?? 1) > 1 && isAbout(rule, { effect, name, cost }));
}

function isAbout(
  rule: ApprovalRule,
  { effect, name, cost }: { effect: RandomPlan[number]['effect']; name: string | undefined; cost: number },
): boolean {
  const strength = { read: 0, idempotent: 1, 'at-most-once': 2 };
  return (
    strength[effect] >= strength[rule.effect ?? 'read'] &&
    (rule.capability ?? name) === name &&
    cost >= (rule.minCost ?? 0)
  );
}

export function digestOf(plan: number): string {
  return plan.toString(16).padStart(8, '0').repeat(8);
}

export function now({ ms }: World): string {
  return later(ms, AT);
}

/** The people of the simulation write their names with spaces around, in capitals, and with marks that nobody sees. */
export const UNSEEN = ['\u00ad', '\u{e0061}', '\u3164', '\u200b'];

function personOf(by: string): string {
  return UNSEEN.reduce((name, mark) => name.replaceAll(mark, ''), by)
    .trim()
    .toLowerCase();
}

export function count({ seen }: World, what: string, times = 1): void {
  seen[what] = (seen[what] ?? 0) + times;
}

/** Asked hundreds of thousands of times, where an assertion of the test runner costs too much. */
export function hold(what: string, got: unknown, wanted: unknown): void {
  if (Object.is(got, wanted)) return;
  const [is, should] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (typeof got !== 'object' || is !== should) throw new Error(`${what}: expected ${should}, got ${is}`);
}
