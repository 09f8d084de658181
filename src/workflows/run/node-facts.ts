/**
 * Everything that a run knows of single nodes: a table. It says how each fact is written down for the next history, and what an
 * edit does with it. A fact that is not in it does not compile.
 */

import { NODE_STATUSES, type NodeStatus, type ResultHandle, type ResultKind } from '../../protocol/index.ts';
import type { Holding } from './dialogue.ts';
import type { Execution } from './execution.ts';
import type { ProgressState } from './nodes/index.ts';

export type NodeFacts = ProgressState & Omit<Execution, 'slice' | 'pages' | 'progress' | 'lanes'>;

/**
 * An edit leaves a node as it is. Its fact then stays; or stays where the node is bound to the same as before, since in
 * another form it is not the same; or stays where the node has ended without a result and keeps that end; or is
 * reckoned anew.
 */
type AtEdit = 'stays' | 'repetition' | 'with-end' | 'reckoned';

interface Fact<Of> {
  readonly edit: AtEdit;
  fresh(nodes: number): Of;
  /** @param start when the run began, in milliseconds since 1970 */
  write(value: Of, start: number, nodes: number): unknown;
  read(written: unknown, start: number): Of;
  move(from: Of, old: number, to: Of, node: number): void;
}

/** The same in a snapshot as in the run; maps and sets are marked there. */
const AS_IT_IS = { write: (value: unknown) => value, read: (written: unknown) => written as never };

function map<Value>(edit: AtEdit): Fact<Map<number, Value>> {
  return {
    edit,
    fresh: () => new Map(),
    ...AS_IT_IS,
    move: (from, old, to, node) => void (from.has(old) && to.set(node, from.get(old) as Value)),
  };
}

function set(edit: AtEdit): Fact<Set<number>> {
  return {
    edit,
    fresh: () => new Set(),
    ...AS_IT_IS,
    move: (from, old, to, node) => void (from.has(old) && to.add(node)),
  };
}

function list<Value>(edit: AtEdit, fresh: Value, write: (one: Value) => unknown, read: (one: never) => Value) {
  return {
    edit,
    fresh: (nodes) => Array.from({ length: nodes }, () => fresh),
    write: (value) => value.map(write),
    read: (written) => (written as never[]).map(read),
    move: (from, old, to, node) => void (to[node] = from[old] as Value),
  } satisfies Fact<Value[]>;
}

/** Milliseconds since the run began; -1 where there is none. */
const times: Fact<(number | undefined)[]> = {
  ...list<number | undefined>('stays', undefined, Number, Number),
  fresh: () => [],
  write: (value, start, nodes) => Array.from({ length: nodes }, (_, node) => (value[node] ?? start - 1) - start),
  read: (written, start) => (written as number[]).map((ms) => (ms < 0 ? undefined : start + ms)),
};

type WrittenHandle = readonly [ref: string, kind: ResultKind, count: number, bytes: number];

export const NODE_FACTS = {
  failures: map('with-end'),
  causes: map('reckoned'),
  unsettled: set('with-end'),
  alone: set('stays'),
  retries: map('repetition'),
  repeatedBy: map('repetition'),
  heldBack: { ...map<Holding>('repetition'), read: holdingsOf },
  worked: map('repetition'),
  settling: map('with-end'),
  /** A letter for each node: its place among the statuses. */
  status: {
    ...list<NodeStatus>('reckoned', 'pending', String, String as never),
    write: (value) => value.map((one) => String.fromCharCode(FIRST_LETTER + NODE_STATUSES.indexOf(one))).join(''),
    read: (text) =>
      Array.from(String(text), (letter) => NODE_STATUSES[letter.charCodeAt(0) - FIRST_LETTER] ?? 'pending'),
  },
  handles: list<ResultHandle | undefined>(
    'reckoned',
    undefined,
    (one) => (one === undefined ? 0 : [one.ref, one.kind, one.count, one.bytes]),
    (one: WrittenHandle | 0) => (one === 0 ? undefined : handleOf(one)),
  ),
  scheduledAt: times,
  endedAt: times,
} satisfies { readonly [Key in keyof NodeFacts]: Fact<NodeFacts[Key]> };

const FIRST_LETTER = 97;

const FACTS = Object.entries(NODE_FACTS) as unknown as readonly (readonly [keyof NodeFacts, Fact<unknown>])[];

/** Version 1 has how often alone. */
function holdingsOf(written: unknown): Map<number, Holding> {
  const holdings = [...(written as ReadonlyMap<number, Holding | number>)];
  const whole = (one: Holding | number) =>
    typeof one === 'number' ? { times: one, since: '', until: '', reason: '' } : one;
  return new Map(holdings.map(([node, one]) => [node, whole(one)]));
}

function handleOf([ref, kind, count, bytes]: WrittenHandle): ResultHandle {
  return { ref, kind, count, bytes };
}

export function freshFacts(nodes: number): NodeFacts {
  return Object.fromEntries(FACTS.map(([key, fact]) => [key, fact.fresh(nodes)])) as unknown as NodeFacts;
}

/** The facts by their names, as plain data. */
export type WrittenFacts = { readonly [Key in keyof NodeFacts]?: unknown };

export function writeFacts(execution: Execution, start: number): WrittenFacts {
  const facts = factsOf(execution);
  const nodes = facts.status.length;
  return Object.fromEntries(FACTS.map(([key, fact]) => [key, fact.write(facts[key], start, nodes)]));
}

/** A fact that was not known when they were written is as in a fresh plan. */
export function readFacts(written: WrittenFacts, start: number, nodes: number): NodeFacts {
  const read = FACTS.map(([key, fact]) => {
    const value = written[key];
    return [key, value === undefined ? fact.fresh(nodes) : fact.read(value, start)];
  });
  return Object.fromEntries(read) as NodeFacts;
}

/** Gives a node of one plan what is known of a node of the plan before. */
export function moveFacts(edit: AtEdit, from: NodeFacts, old: number, to: NodeFacts, node: number): void {
  for (const [key, fact] of FACTS) if (fact.edit === edit) fact.move(from[key], old, to[key], node);
}

/** The facts of a run, not a copy: the maps and lists are the run's own. */
export function factsOf({ progress, ...own }: Execution): NodeFacts {
  return { ...progress, ...own };
}
