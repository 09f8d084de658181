import type { ShownValue } from '../outline/index.ts';
import { cutCharacters, visible } from '../text/index.ts';
import { canonicalJson } from '../digest/index.ts';
import { isPlainObject } from '../plain-object.ts';
import type { JsonValue, PlanNode } from '../compiled-plan.ts';
import { nodeSummary } from './plan-outline.ts';

/** Maximum characters of a value on an approval card. */
const MAX_VALUE = 2000;
const ROOM = 200_000;
const NAME = 100;
const BESIDE = 24;
/** Minimum characters for each value. If less room remains, the effect shows no values. */
const MIN_ROOM = 40;
/** The text fields that an executor reads besides arguments, context and task. */
const WORDS = ['hint', 'action', 'description', 'expectedOutput', 'successCriteria', 'undoes'] as const;

/** Everything that the plan passes to a node's executor, except a task text that its summary already has. */
export function valuesOf(node: PlanNode | undefined): readonly ShownValue[] {
  if (node?.kind !== 'task') return [];
  const { arguments: args, context, task } = node;
  const all: (readonly [string, JsonValue])[] = isPlainObject(args) ? Object.entries(args) : [];
  if (args !== undefined && !isPlainObject(args)) all.push(['arguments', args]);
  if (context !== undefined) all.push(['context', context]);
  // If a display name hides the text of the task, it is listed.
  if (nodeSummary(node) !== task) all.push(['task', task]);
  for (const name of WORDS) if (node[name] !== undefined && node[name] !== task) all.push([name, node[name]]);
  return all
    .map(([name, value]) => ({ name: visible(name), text: visible(canonicalJson(value)) }))
    .toSorted((a, b) => a.text.length - b.text.length);
}

/**
 * Cuts the values of effects to a shared limit of characters, the longest first.
 * @returns for each effect the values and the number of missing characters
 */
export function shareRoom(effects: readonly (readonly ShownValue[])[], room = ROOM) {
  const all = effects.flat();
  const names = all.reduce((sum, { name }) => sum + Math.min(name.length, NAME) + BESIDE, 0);
  const max = levelOf(
    all.map(({ text }) => text.length),
    Math.max(0, room - names),
  );
  return effects.map((values) => {
    const visibleValues = values.map(({ name, text }): ShownValue => {
      const length = text.length > max ? { length: text.length } : {};
      return { name: cutCharacters(name, NAME), text: cutCharacters(text, max), ...length };
    });
    const fitting = max < MIN_ROOM && visibleValues.some(({ length }) => length !== undefined) ? [] : visibleValues;
    return { values: fitting, left: sizeOf(values) - sizeOf(fitting) };
  });
}

function sizeOf(values: readonly ShownValue[]): number {
  return values.reduce((sum, { name, text }) => sum + name.length + text.length, 0);
}

function levelOf(lengths: readonly number[], room: number): number {
  let left = room;
  for (const [at, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - at));
    if (Math.min(length, MAX_VALUE) > share) return share;
    left -= Math.min(length, MAX_VALUE);
  }
  return MAX_VALUE;
}
