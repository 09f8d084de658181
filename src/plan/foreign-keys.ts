/** Keys of other systems: read as our own where one of these is meant, refused where a plan would lose its meaning. */

import { briefJson, describeValue, quote } from './text/index.ts';
import { readDependencyText } from './dependency-text.ts';
import { below } from './issues/index.ts';
import { exactJson } from './syntax/json-text.ts';
import { isPlainObject } from './plain-object.ts';
import { FOREIGN_KEYS, NAMES, isNote, type Name } from './names.ts';
import { sameValue } from './read-field.ts';
import type { NodeSource, Reading } from './plan-reading.ts';

/** A node in keys of ours, and its keys that are not read, with their values. */
export interface ForeignKeys {
  readonly source: NodeSource;
  readonly unread?: { readonly [key: string]: unknown };
}

/** What a value under a foreign name has to be, and that as a value of ours; undefined for one of another shape. */
const SHAPES: Readonly<Record<string, { readonly words: string; read(value: unknown): unknown }>> = {
  name: { words: 'a name', read: nameOf },
  arguments: { words: 'an object of arguments', read: argumentsOf },
  ids: { words: 'ids of earlier steps', read: idsOf },
  node: { words: 'one node', read: onlyNode },
  nodes: { words: 'a list of two nodes', read: twoNodes },
};
/** Beside one of these a foreign name of the other could mean either. */
const EXECUTORS = ['capability', 'agent'];

const { left: _left, right: _right, ...always } = FOREIGN_KEYS;
const { arguments: calls, executors } = always;
/** Names that mean a part of a plan wherever they stand. */
const FOREIGN: ReadonlySet<string> = new Set(Object.values(always).flat());

/**
 * The node in keys of ours, and its keys that stay unread. A foreign name is read, with a warning, where it means one
 * key of ours, which is not there, and its value has the shape of it. Any other is an error where it has a node, a
 * call or the name of another node, else a warning: `unread` says the rest of that.
 */
export function readForeignKeys(
  { node, place }: NodeSource,
  kind: 'step' | 'task' | 'combine',
  keys: readonly string[],
  reading: Reading,
  { ownId, unread }: { readonly ownId: unknown; readonly unread: (key: string) => string },
): ForeignKeys {
  const meant = Object.values<Name>(NAMES[kind]);
  const read: { [key: string]: unknown } = { ...node };
  const names = new Map(place.names);
  const left = keys.filter((key) => !readAs(key)).map((key) => [key, node[key]] as const);
  return { source: { node: read, place: { ...place, names } }, unread: Object.fromEntries(left) };

  function readAs(key: string): boolean {
    const value = node[key];
    if (isEmpty(value) || isNote(key)) return !add('warning', key, () => unread(key));
    const found = meant.find(({ foreign = [] }) => foreign.includes(key));
    if (found?.shape === 'ids' && isRequirement(key, idsOf(value), reading.names))
      return !add('warning', key, () => `${unread(key)} Its sentences name no step: they are taken as words about it.`);
    if (found !== undefined) return readMeant(key, value, found);
    if (FOREIGN.has(key) || holdsMeaning(value, String(ownId), reading.names)) {
      const why = 'Its value is, or names, a part of the plan, so that this is an error.';
      return !add('error', key, () => `${unread(key)} ${why}`);
    }
    return !add('warning', key, () => unread(key));
  }

  function readMeant(key: string, written: unknown, { keys: same, shape }: Name): boolean {
    const own = same.at(-1)!;
    const value = SHAPES[shape]!.read(written);
    const taken = (shape === 'nodes' ? ['left', 'right', ...same] : same).find((each) => read[each] != null);
    const rival = shape === 'name' ? EXECUTORS.find((each) => each !== own && read[each] != null) : undefined;
    if (value === undefined) {
      const got = describeValue(written);
      add(
        'error',
        key,
        `${quote(key)} stands for "${own}", which is ${SHAPES[shape]!.words}; this is ${got}. Write "${own}".`,
      );
    } else if (taken !== undefined && !sameValue(read[taken], value, reading.limits.valueDepth)) {
      const [one, other] = [read[taken], written].map((each) =>
        typeof each === 'object' ? briefJson(each) : describeValue(each),
      );
      const both = `${quote(names.get(taken) ?? taken)} is ${one} and ${quote(key)} is ${other}`;
      add('error', key, `${both}: they mean the same and differ. Keep one of them.`);
    } else if (rival !== undefined) {
      const both = `${quote(rival)} (${describeValue(read[rival])}) and ${quote(key)} (${describeValue(written)})`;
      add('error', key, `${both} both say what carries the node out. Keep one of them.`);
    } else {
      add('warning', key, `${quote(key)} is read as "${own}". Write "${own}".`);
      if (taken === undefined) {
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

/** Names that may say as well what a node needs of the world: `needs: ["a GPU"]`. */
const REQUIREMENTS: readonly string[] = ['needs', 'requires', 'prerequisites'];

function isRequirement(key: string, ids: unknown, names: ReadonlySet<string>): boolean {
  if (!REQUIREMENTS.includes(key) || !Array.isArray(ids)) return false;
  return ids.every((id) => typeof id === 'string' && /\S\s+\S/u.test(id) && !names.has(id.trim()));
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function idsOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value === 'string') return readDependencyText(value.trim()).ids;
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  return list.every((id) => typeof id === 'string' || typeof id === 'number') ? list : undefined;
}

/** An object, or the JSON text of one in which each key stands once and no number loses digits. */
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

/** The keys by which an object is a node or a call. */
const OF_A_NODE: readonly string[] = [
  ...['task', 'task_objective', 'operator', 'action', 'capability', 'agent', 'step_id', 'context_key'],
  ...executors,
];
const OF_A_CALL: readonly string[] = ['arguments', 'parameters', ...calls];
/** A larger value is not searched: it counts as one that has meaning. */
const MOST_SEARCHED = 1_000;

/** Whether there is a node, a call, or the name of another node in a value. */
function holdsMeaning(value: unknown, ownId: string, names: ReadonlySet<string>): boolean {
  let count = 0;
  return holds(value);

  function holds(next: unknown): boolean {
    if (++count > MOST_SEARCHED) return true;
    if (typeof next === 'string') return names.has(next.trim()) && next.trim() !== ownId;
    if (typeof next !== 'object' || next === null) return false;
    const has = (key: string) => (next as Record<string, unknown>)[key] != null;
    if (isPlainObject(next) && (OF_A_NODE.some(has) || (has('name') && OF_A_CALL.some(has)))) return true;
    return Object.values(next).some(holds);
  }
}
