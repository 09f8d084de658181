/** The state of one field: known, ready, missing, and what may still be done to find it. */

import type { Caps } from './caps.ts';
import type { Decomposition, Field, State } from './state.ts';

export const REGION = 'core.region';
export const CURRENCY = 'core.currency';
/** Fields of one market; a decomposition that would pass it is not made. */
export const MAX_FIELDS = 60;

/** Also of a component that no enrichment has put into the schema yet. */
export function fieldOf(state: State, name: string): Field | undefined {
  const { fields } = state.schema;
  if (Object.hasOwn(fields, name)) return fields[name];
  for (const parent of [...Object.keys(fields), ...Object.keys(state.dynamicDecompositions)]) {
    const { components = {} } = decompositionOf(state, parent) ?? {};
    const field = Object.hasOwn(components, name) ? components[name] : undefined;
    if (field !== undefined) return { ...field, partOf: parent };
  }
  return undefined;
}

export function decompositionOf(
  { schema, dynamicDecompositions: made }: State,
  name: string,
): Decomposition | undefined {
  const before = Object.hasOwn(schema.fields, name) ? schema.fields[name]?.decomposition : undefined;
  if (before !== undefined) return before;
  const found = Object.hasOwn(made, name) ? made[name] : undefined;
  return found === undefined || 'none' in found ? undefined : found;
}

export function componentsOf(state: State, name: string): readonly string[] {
  return Object.keys(decompositionOf(state, name)?.components ?? {});
}

export function isKnown(state: State, name: string): boolean {
  return fieldOf(state, name)?.value !== undefined;
}

/** Known, or made from what is. */
export function isReady(state: State, name: string): boolean {
  const field = fieldOf(state, name);
  return field?.value !== undefined || field?.composed !== undefined;
}

/** Follows from components, and nobody has said yet from which. */
export function isComposite(state: State, name: string): boolean {
  return fieldOf(state, name)?.derived === true && mayBeDecomposed(state, name);
}

/** A number of which no decomposition is there, and none was looked for. */
export function mayBeDecomposed(state: State, name: string): boolean {
  const tried = Object.hasOwn(state.dynamicDecompositions, name);
  const isNumber = fieldOf(state, name)?.kind === 'number' && !isKnown(state, name);
  return isNumber && !tried && decompositionOf(state, name) === undefined;
}

export function searchesOf({ attempts }: State, name: string): number {
  return Object.hasOwn(attempts.searches, name) ? (attempts.searches[name] ?? 0) : 0;
}

export function asksOf({ attempts }: State, name: string): number {
  return Object.hasOwn(attempts.asks, name) ? (attempts.asks[name] ?? 0) : 0;
}

export function maySearch(state: State, name: string, { searches }: Caps): boolean {
  return searchesOf(state, name) < searches;
}

export function mayAsk(state: State, name: string, { asks, coreAsks }: Caps): boolean {
  return asksOf(state, name) < (name === REGION || name === CURRENCY ? coreAsks : asks);
}

/** Missing fields that may still be searched for or asked about. */
export function canBeFound(state: State, name: string, caps: Caps): boolean {
  return maySearch(state, name, caps) || mayAsk(state, name, caps);
}

/** The components of a field and the field itself, each after its own components. A known field is made from nothing. */
export function partsOf(state: State, name: string): readonly string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (one: string) => {
    if (seen.has(one)) return;
    seen.add(one);
    if (!isKnown(state, one)) for (const component of componentsOf(state, one)) visit(component);
    order.push(one);
  };
  visit(name);
  return order;
}

/** The parts that a field waits for: those without a value and without components. */
export function missingOf(state: State, name: string): readonly string[] {
  return partsOf(state, name).filter((one) => !isKnown(state, one) && componentsOf(state, one).length === 0);
}

/** Fields that the memo tells although the size does not stand on them, as far as they are not ready. */
export function missingWanted(state: State): readonly string[] {
  const wanted = Object.entries(state.schema.fields).filter(([, field]) => field.wanted === true);
  return [...new Set(wanted.flatMap(([name]) => missingOf(state, name)))];
}
