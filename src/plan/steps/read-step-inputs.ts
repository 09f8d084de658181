import { briefJson, describeValue, quote } from '../text/index.ts';
import { readDependencyText } from '../dependency-text.ts';
import { below } from '../issues/index.ts';
import { isPlainObject } from '../plain-object.ts';
import { readTextAt } from '../read-field.ts';
import type { Place } from '../issues/index.ts';
import type { NodeSource, Reading, StepReference } from '../plan-reading.ts';

/** The names that a step has under `inputs` and `dependencies`. */
export function readStepInputs(source: NodeSource, reading: Reading): StepReference[] {
  const references: StepReference[] = [];
  readList('inputs', 'keys of earlier steps, each a text or an object { "TYPE": "key" }', readInput);
  readList('dependencies', 'ids of earlier steps', readDependency);
  return references;

  function readList(
    key: 'inputs' | 'dependencies',
    what: string,
    readEntry: (entry: unknown, place: Place) => void,
  ): void {
    const written = source.node[key];
    if (written === undefined || written === null) return;
    const place = below(source.place, key);
    const isText = key === 'dependencies' && typeof written === 'string';
    const list = isText ? readDependencyText(written.trim()).ids : written;
    if (isText) {
      reading.issues.add('warning', 'coerced-text', place, () => ({
        message: `${quote(written)} is read as the dependencies ${briefJson(list)}. Write a list.`,
        expected: 'a list',
      }));
    }
    if (Array.isArray(list)) {
      for (let index = 0; index < list.length && reading.budget.left >= 0; index++) {
        reading.budget.left--;
        readEntry(list[index], below(place, index));
      }
    } else refuse(list, place, `"${key}" is a list of ${what}`, 'a list');
  }

  /** Osprey: a key, or an object of types and their keys. */
  function readInput(entry: unknown, place: Place): void {
    if (!isPlainObject(entry)) return addName(entry, place, 'inputs');
    const types = Object.keys(entry);
    if (types.length === 0) refuse(entry, place, 'An input is a key, or an object { "TYPE": "key" }', 'a key');
    for (const type of types) {
      // The type is stored, so it must be well-formed text.
      const name = readTextAt(type, place, type, reading, 'invalid-inputs');
      if (name === undefined) refuse(type, below(place, type), 'The type of an input is a word', 'a text');
      else addName(entry[type], below(place, type), 'inputs', name);
    }
  }

  function readDependency(entry: unknown, place: Place): void {
    addName(typeof entry === 'number' && Number.isFinite(entry) ? String(entry) : entry, place, 'dependencies');
  }

  function addName(entry: unknown, place: Place, from: 'inputs' | 'dependencies', type?: string): void {
    const before = reading.issues.errors;
    const name = readTextAt(entry, place.parent!, place.step, reading, 'invalid-inputs');
    if (name === undefined && reading.issues.errors === before)
      refuse(entry, place, 'The name of a step belongs here', 'a text');
    if (name !== undefined) references.push({ name, from, place, ...(type !== undefined && { type }) });
  }

  function refuse(value: unknown, place: Place, rule: string, expected: string): void {
    reading.issues.add('error', 'invalid-inputs', place, () => ({
      message: `${rule}; this is ${describeValue(value)}.`,
      expected,
      got: describeValue(value),
    }));
  }
}
