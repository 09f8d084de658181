/** The calculation of the market's size, and how far it is. */

import type { Caps } from './caps.ts';
import type { Calculate } from './decision.ts';
import {
  canBeFound,
  componentsOf,
  CURRENCY,
  decompositionOf,
  fieldOf,
  isKnown,
  mayBeDecomposed,
  missingOf,
  partsOf,
} from './fields.ts';
import type { Recipe, State } from './state.ts';

/** Undefined while nobody knows what the target is made from. */
export function recipeOf(state: State): Recipe | undefined {
  const { target } = state.schema;
  if (decompositionOf(state, target) === undefined) return undefined;
  const leaves = partsOf(state, target).filter(
    (name) => componentsOf(state, name).length === 0 || isKnown(state, name),
  );
  return { expression: expressionOf(state, target), variables: leaves, missing: missingOf(state, target) };
}

const NAME = /[A-Za-z_]\w*/g;

/** The components of a field, down to those that are known or missing. A plan keeps no order of variables, so none stands on another. */
export function expressionOf(state: State, name: string): string {
  const decomposition = isKnown(state, name) ? undefined : decompositionOf(state, name);
  if (decomposition === undefined) return name;
  return decomposition.expression.replaceAll(NAME, (one) => {
    if (!Object.hasOwn(decomposition.components, one)) return one;
    const made = expressionOf(state, one);
    return made === one ? one : `(${made})`;
  });
}

/** `none`: there is no recipe. `blocked`: something is missing. `pending`: it can be worked out, and was not yet. */
export type CalculationStands = 'none' | 'blocked' | 'pending' | 'succeeded';

export function calculationStands({ calculation, schema: { recipe } }: State): CalculationStands {
  if (calculation.value !== undefined) return 'succeeded';
  if (recipe === undefined) return 'none';
  return recipe.missing.length > 0 ? 'blocked' : 'pending';
}

/** Fields that block the calculation and may still be found, or taken apart. */
export function openInputs(state: State, caps: Caps): readonly string[] {
  const missing = missingOf(state, state.schema.target);
  return missing.filter((name) => canBeFound(state, name, caps) || mayBeDecomposed(state, name));
}

/** The whole recipe: arithmetic is the calculator's. Undefined while the calculation is not pending. */
export function calculationOf(state: State, reasoning: string): Calculate | undefined {
  const { recipe, target } = state.schema;
  if (recipe === undefined || calculationStands(state) !== 'pending') return undefined;
  const variables: Record<string, string> = {};
  for (const name of recipe.variables) {
    const value = fieldOf(state, name)?.value;
    if (value !== undefined) variables[name] = value;
  }
  const unit = unitOf(state, target);
  const calculation = { expression: recipe.expression, variables, ...(unit !== undefined && { unit }) };
  return { action: 'calculate', calculation, reasoning };
}

/** The currency of money that the person has named; undefined where it is not known. */
export function unitOf(state: State, name: string): string | undefined {
  const field = fieldOf(state, name);
  return field?.money === true ? fieldOf(state, CURRENCY)?.value : field?.unit;
}
