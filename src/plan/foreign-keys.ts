/** Reads keys of other systems if their meaning is clear. They are errors if the plan would lose meaning. */

import { briefJson, describeValue, quote } from './text/index.ts';
import { readDependencyText } from './dependency-text.ts';
import { ROOT, below, nearestName } from './issues/index.ts';
import { exactJson } from './syntax/json-text.ts';
import { isEmptyValue, isPlainObject } from './plain-object.ts';
import { governingKeyIn, governs } from './governing-words.ts';
import { COLOCATE_FIELDS, FOREIGN_KEYS, OTHER_NAMES, NAMES, isNote, keysOf, type Form, type Name } from './names.ts';
import { sameValue } from './read-field.ts';
import type { NodeSource, Reading } from './plan-reading.ts';

export interface ForeignKeys {
  readonly source: NodeSource;
  readonly unread?: { readonly [key: string]: unknown };
}

/** The shapes of values under foreign keys. `read` converts a value, or returns undefined if it has another shape. */
const SHAPES: Readonly<Record<string, { readonly words: string; read(value: unknown): unknown }>> = {
  name: { words: 'a name', read: nonBlankText },
  text: { words: 'a text', read: (value) => (typeof value === 'number' ? value : nonBlankText(value)) },
  arguments: { words: 'an object of arguments', read: argumentsOf },
  ids: { words: 'ids of earlier steps', read: idsOf },
  node: { words: 'one node', read: onlyNode },
  nodes: { words: 'a list of two nodes', read: twoNodes },
};
const EXECUTORS = ['capability', 'agent'];

const { left: _left, right: _right, ...always } = FOREIGN_KEYS;
const { arguments: calls, executors } = always;
const FOREIGN: ReadonlySet<string> = new Set(Object.values(always).flat());

/**
 * Reads foreign keys as keys of this project. A key is read, with a warning, if it means a known key that is absent and
 * its value has the right shape. A key is an error if it controls the step in another system, contains a part of the
 * plan, or resembles a missing key. Any other key gives a warning that ends with the text of `unread`.
 */
export function readForeignKeys(
  { node, place }: NodeSource,
  kind: 'step' | 'task' | 'combine',
  keys: readonly string[],
  reading: Reading,
  {
    ownId,
    position,
    unread,
  }: { readonly ownId: unknown; readonly position?: number; readonly unread: (key: string) => string },
): ForeignKeys {
  const ourKeys = Object.values<Name>(NAMES[kind]);
  const read: { [key: string]: unknown } = { ...node };
  const names = new Map(place.names);
  const left = keys.filter((key) => !readAs(key)).map((key) => [key, node[key]] as const);
  return { source: { node: read, place: { ...place, names } }, unread: Object.fromEntries(left) };

  function readAs(key: string): boolean {
    const value = node[key];
    if (isNote(key)) return !add('warning', key, () => unread(key));
    if (kind === 'step' && OTHER_NAMES.includes(key) && nonBlankText(value) !== undefined)
      return !add('warning', key, () => `${quote(key)} is read as another name of the step, and of its result.`);
    const rule = governs(key, value, kind, position);
    if (rule === '') return false;
    if (rule !== undefined) return !add('error', key, () => rule);
    if (isEmptyValue(value)) return !add('warning', key, () => unread(key));
    const found = ourKeys.find(({ foreign = [] }) => foreign.includes(key));
    if (found?.shape === 'ids' && isRequirement(key, idsOf(value), reading.names))
      return !add('warning', key, () => `${unread(key)} Its sentences name no step: they are taken as words about it.`);
    if (found !== undefined) return readMeant(key, value, found);
    if (FOREIGN.has(key) || holdsMeaning(value, String(ownId), reading.names)) {
      const why = 'Its value is, or names, a part of the plan, so that this is an error.';
      return !add('error', key, () => `${unread(key)} ${why}`);
    }
    const inner = governingKeyIn(value, kind);
    if (inner !== undefined) return !add('error', key, () => governs(inner, (value as Fields)[inner], kind)!);
    const near = nearKey(key, kind, reading);
    if (near === undefined || !isMissing(near)) return !add('warning', key, () => unread(key));
    const words = `${quote(key)} is not read, and is nearly "${near}", which is missing here. Write that, or take it out.`;
    return !add('error', key, () => words);
  }

  function isMissing(own: string): boolean {
    const row = ourKeys.find(({ keys: same }) => same.includes(own));
    return (row?.keys ?? [own]).every((each) => read[each] == null);
  }

  function readMeant(key: string, written: unknown, { keys: same, shape }: Name): boolean {
    const own = same.at(-1)!;
    const value = SHAPES[shape]!.read(written);
    const present = (shape === 'nodes' ? ['left', 'right', ...same] : same).find((each) => read[each] != null);
    const rival = shape === 'name' ? EXECUTORS.find((each) => each !== own && read[each] != null) : undefined;
    if (value === undefined) {
      const got = describeValue(written);
      add(
        'error',
        key,
        `${quote(key)} stands for "${own}", which is ${SHAPES[shape]!.words}; this is ${got}. Write "${own}".`,
      );
    } else if (present !== undefined && !sameValue(read[present], value, reading.limits.valueDepth)) {
      const [one, other] = [read[present], written].map((each) =>
        typeof each === 'object' ? briefJson(each) : describeValue(each),
      );
      const both = `${quote(names.get(present) ?? present)} is ${one} and ${quote(key)} is ${other}`;
      add('error', key, `${both}: they mean the same and differ. Keep one of them.`);
    } else if (rival !== undefined) {
      const both = `${quote(rival)} (${describeValue(read[rival])}) and ${quote(key)} (${describeValue(written)})`;
      add('error', key, `${both} both say what carries the node out. Keep one of them.`);
    } else {
      add('warning', key, `${quote(key)} is read as "${own}". Write "${own}".`);
      if (present === undefined) {
        read[own] = value;
        names.set(own, key);
      }
      return true;
    }
    return false;
  }

  function add(severity: 'error' | 'warning', key: string, words: string | (() => string)): true {
    reading.issues.add(severity, 'unknown-key', below(place, key), () => ({
      message: typeof words === 'string' ? words : words(),
    }));
    return true;
  }
}

type Fields = { readonly [key: string]: unknown };

const EVERY_KEY = keysOf(...(Object.keys(NAMES) as Form[]));
const MAX_COMPARED = 1_000;

function nearKey(key: string, kind: 'step' | 'task' | 'combine', { nearKeys, issues }: Reading): string | undefined {
  const at = `${kind} ${key}`;
  if (!nearKeys.has(at) && nearKeys.size <= MAX_COMPARED && !EVERY_KEY.includes(key)) {
    const own = kind === 'step' ? keysOf(kind) : keysOf('any', kind);
    nearKeys.set(at, nearestName(key, kind === 'combine' ? [...own, ...COLOCATE_FIELDS] : own));
    const message = `The plan has more than ${MAX_COMPARED} different keys that are not read. Take them out.`;
    if (nearKeys.size > MAX_COMPARED) issues.add('error', 'unknown-key', ROOT, () => ({ message }));
  }
  return nearKeys.get(at);
}

/** Keys that name other nodes, or what a node needs from the outside world: `needs: ["a GPU"]`. */
const REQUIREMENTS: readonly string[] = ['needs', 'requires', 'prerequisites'];

function isRequirement(key: string, ids: unknown, names: Reading['names']): boolean {
  if (!REQUIREMENTS.includes(key) || !Array.isArray(ids)) return false;
  return ids.every((id) => typeof id === 'string' && /\S\s+\S/u.test(id) && !names.has(id.trim()));
}

function nonBlankText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function idsOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value === 'string') return readDependencyText(value.trim()).ids;
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  return list.every((id) => typeof id === 'string' || typeof id === 'number') ? list : undefined;
}

/** An object, or the parsed text of one if the text has no repeated key and no inexact number. */
export function argumentsOf(value: unknown): object | undefined {
  const read = typeof value === 'string' ? exactJson(value) : value;
  return isPlainObject(read) ? read : undefined;
}

function onlyNode(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isPlainObject(only) ? only : undefined;
}

function twoNodes(value: unknown): unknown {
  return Array.isArray(value) && value.length === 2 && value.every(isPlainObject) ? value : undefined;
}

const OF_A_NODE: readonly string[] = [
  ...['task', 'task_objective', 'operator', 'action', 'capability', 'agent', 'step_id', 'context_key'],
  ...executors,
];
const OF_A_CALL: readonly string[] = ['arguments', 'parameters', ...calls];
/** Maximum number of values that are searched for names of nodes. A larger value counts as a part of the plan. */
const MAX_SEARCHED = 1_000;

function holdsMeaning(value: unknown, ownId: string, names: Reading['names']): boolean {
  let count = 0;
  return holds(value);

  function holds(next: unknown): boolean {
    if (++count > MAX_SEARCHED) return true;
    if (typeof next === 'string') {
      const key = names.get(next.trim());
      // A number counts as a step's name only if a step has it as key, since it probably is no position.
      return key !== undefined && key !== ownId && (key === next.trim() || !/^\d+$/.test(next.trim()));
    }
    if (typeof next !== 'object' || next === null) return false;
    const has = (key: string) => (next as Record<string, unknown>)[key] != null;
    if (isPlainObject(next) && (OF_A_NODE.some(has) || (has('name') && OF_A_CALL.some(has)))) return true;
    return Object.values(next).some(holds);
  }
}
