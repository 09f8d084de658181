import { listNames, quote } from '../text/index.ts';
import { didYouMean, pathOf, type IssueCode, type IssueList } from '../issues/index.ts';
import { keyNamed } from '../result-names.ts';
import type { NamedStep, Reading, StepInputs, StepReference } from '../plan-reading.ts';
import type { JsonValue } from '../compiled-plan.ts';

interface Reference {
  readonly step: string;
  /** The keys that lead from the value to the text with the reference; empty if the value is this text. */
  readonly path: readonly (string | number)[];
  /** True if the text is only the reference. A run then replaces the whole text by the result. */
  readonly whole: boolean;
}

const START = 'result_from_step_';
/** A reference as in Calute: `result_from_step_2`. A name has letters, digits and `_`, with `-` only inside. */
const REFERENCE = /result_from_step_([\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*)/gu;

/** Finds all references in the texts of a value, in the order of the document. Keys of objects are not searched. */
export function findReferences(value: JsonValue): readonly Reference[] {
  const found: Reference[] = [];
  search(value, []);
  return found;

  function search(inside: JsonValue, path: readonly (string | number)[]): void {
    if (Array.isArray(inside))
      for (const [at, member] of (inside as readonly JsonValue[]).entries()) search(member, [...path, at]);
    else if (typeof inside === 'object' && inside !== null)
      for (const [key, member] of Object.entries(inside)) search(member, [...path, key]);
    else if (typeof inside === 'string' && inside.includes(START))
      for (const [text, step] of inside.matchAll(REFERENCE))
        found.push({ step: step!, path, whole: text === inside.trim() });
  }
}

/** Finds the step or the context key of each name. `external` has the context keys with their references, if known. */
export function resolveReferences(
  steps: readonly NamedStep[],
  external: ReadonlyMap<string, string | undefined>,
  { issues, names }: Pick<Reading, 'issues' | 'names'>,
): readonly StepInputs[] {
  const indexByKey = keyIndex(steps, issues);
  const ahead: [from: number, to: number, reference: StepReference][] = [];
  const resolved = steps.map((step, index) => resolveStep(step, index));
  if (ahead.length > 0) refuseAhead();
  return resolved;

  function resolveStep(step: NamedStep, index: number): StepInputs {
    const { references, takesAll } = step;
    if (references.length === 0 && !takesAll) return NO_INPUTS;
    const earlier = takesAll ? Array.from({ length: index }, (_, each) => each) : [];
    const outside: string[] = [];
    for (const reference of references) {
      const { name, from } = reference;
      const target = targetOf(reference);
      if (reference.isLoose === true && (target ?? index) >= index) continue;
      if (from !== 'dependencies' && external.has(name) && (target ?? index) >= index) outside.push(name);
      else if (target === undefined) refuseUnknown(index, reference);
      else if (target === index) refuseSelf(reference);
      else if (target > index) ahead.push([index, target, reference]);
      else if (!takesAll) earlier.push(target);
    }
    if (references.length > 1) noteRepeated(step);
    const dependsOn = takesAll || earlier.length < 2 ? earlier : unique(earlier).sort((one, other) => one - other);
    return {
      dependsOn,
      ...givenFrom(unique(outside).sort()),
      inputTypes: typesOf(step),
    };
  }

  function givenFrom(keys: readonly string[]): Pick<StepInputs, 'externalInputs' | 'externalRefs'> {
    if (keys.length === 0) return {};
    const known = keys.flatMap((name) => {
      const ref = external.get(name);
      return ref === undefined ? [] : [[name, ref] as const];
    });
    return { externalInputs: keys, ...(known.length > 0 && { externalRefs: Object.fromEntries(known) }) };
  }

  /**
   * `step_1` means the first step if no step has that key: as in Calute, a number that is no step's id is a position.
   */
  function targetOf({ name, from, place }: StepReference): number | undefined {
    const index = indexByKey.get(name);
    if (index !== undefined) return index;
    const number = from === 'dependencies' ? name.replace(/^steps?[ _#-]+/i, '') : name;
    const bare = indexByKey.has(number) || /^\d+$/.test(name) ? number : (keyNamed(name, names) ?? name);
    if (from !== 'text' && indexByKey.has(bare)) {
      const message = `${quote(name)} is read as ${quote(bare)}. Write that.`;
      issues.add('warning', 'coerced-text', place, () => ({ message, expected: bare, got: name }));
      return indexByKey.get(bare);
    }
    const isPosition = from === 'text' && /^[1-9]\d{0,8}$/.test(name) && Number(name) <= steps.length;
    return isPosition ? Number(name) - 1 : undefined;
  }

  function refuseUnknown(index: number, { name, from, place }: StepReference): void {
    issues.add('error', 'unknown-reference', place, () => {
      const earlier = steps.slice(Math.max(0, index - MAX_OFFERED), index).map(({ contextKey }) => contextKey);
      const outside = from === 'inputs' ? [...external.keys()].slice(0, MAX_OFFERED) : [];
      const available = [...earlier, ...outside];
      const instead = available.length === 0 ? 'No step goes before this one.' : `Use ${listNames(available)}.`;
      const advice = from === 'inputs' ? ' A key from outside the plan must be given to the run.' : '';
      return {
        message: `No step before this one has the key ${quote(name)}.${didYouMean(name, available)} ${instead}${advice}`,
        expected: available,
        got: name,
      };
    });
  }

  function refuseAhead(): void {
    const waitsFor = resolved.map(({ dependsOn }) => [...dependsOn]);
    for (const [from, to] of ahead) waitsFor[from]!.push(to);
    for (const [from, to, reference] of ahead.slice(0, MAX_FOLLOWED)) {
      const back = wayFrom(to, from, waitsFor);
      const name = quote(reference.name);
      const message =
        back === undefined
          ? `${name} is a later step, and a list of steps runs in its order. Put that step before this one.`
          : `${name} is a later step and itself waits for this one: ${listed(back)}. Take one of these out.`;
      refuse(back === undefined ? 'forward-reference' : 'cyclic-reference', reference, message);
    }
  }

  function listed(way: readonly number[]): string {
    const keys = way.slice(0, MAX_LISTED).map((index) => quote(steps[index]!.contextKey));
    return keys.join(', then ');
  }

  function refuse(code: IssueCode, { name, place }: StepReference, message: string): void {
    issues.add('error', code, place, () => ({ message, expected: 'an earlier step', got: name }));
  }

  function refuseSelf(reference: StepReference): void {
    refuse('self-reference', reference, `${quote(reference.name)} is this step itself. Name an earlier step.`);
  }

  function noteRepeated({ references }: NamedStep): void {
    const seen = { inputs: new Set<string>(), dependencies: new Set<string>() };
    for (const { name, from, place } of references) {
      if (from === 'text') continue;
      const size = seen[from].size;
      if (seen[from].add(name).size > size) continue;
      const message = `${quote(name)} is listed twice under "${from}"; it is taken once.`;
      issues.add('warning', 'ignored-key', place, () => ({ message }));
    }
  }

  function typesOf({ references }: NamedStep): StepInputs['inputTypes'] {
    const types = new Map<string, string>();
    for (const { name, type, place } of references) {
      if (type === undefined) continue;
      const known = types.get(name) ?? type;
      types.set(name, known);
      if (known === type) continue;
      issues.add('error', 'invalid-inputs', place, () => ({
        message: `${quote(name)} is taken as ${quote(known)} and as ${quote(type)}. A step takes a result under one type.`,
        expected: known,
        got: type,
      }));
    }
    // Object.fromEntries makes `__proto__` an ordinary key, unlike an assignment.
    return types.size === 0 ? undefined : Object.fromEntries(types);
  }
}

const NO_INPUTS: StepInputs = { dependsOn: [] };

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

const MAX_LISTED = 20;
const MAX_FOLLOWED = 101;
const MAX_OFFERED = 200;

function keyIndex(steps: readonly NamedStep[], issues: IssueList): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, { contextKey, place }] of steps.entries()) {
    const first = indexes.get(contextKey);
    if (first === undefined) indexes.set(contextKey, index);
    else {
      issues.add('error', 'duplicate-step-key', place, () => ({
        message: `${pathOf(steps[first]!.place)} has the key ${quote(contextKey)} too, and one result would replace the other. Give each step its own key.`,
        got: contextKey,
      }));
    }
  }
  return indexes;
}

/** The steps on a path from `start` to `end`, on which each waits for the next; undefined if there is no path. */
function wayFrom(start: number, end: number, waitsFor: readonly (readonly number[])[]): readonly number[] | undefined {
  const cameFrom = new Map<number, number>([[start, start]]);
  for (const [at] of cameFrom) for (const next of waitsFor[at]!) if (!cameFrom.has(next)) cameFrom.set(next, at);
  if (!cameFrom.has(end)) return undefined;
  const way = [end];
  while (way[0] !== start) way.unshift(cameFrom.get(way[0]!)!);
  return way.sort((one, other) => one - other);
}
