/** Makes the schema richer before anything is looked for: takes apart what must be, puts together what is ready. */

import { decompose, DECOMPOSITIONS_PER_STAGE } from './decompose.ts';
import { componentsOf, decompositionOf, fieldOf, isComposite, isKnown, isReady, partsOf } from './fields.ts';
import { expressionOf, recipeOf } from './recipe.ts';
import { on, type Around, type MarketStage } from './stages.ts';
import type { Field, State } from './state.ts';

/** VentureScope: enrich_schema. Writes `schema` and `dynamicDecompositions`, and decides nothing. */
export const enrichSchema: MarketStage<'enrich'> = on.enrich({
  name: 'enrich_schema',
  about: 'takes composite fields apart, composes ready ones, rebuilds the recipe',
  writes: ['schema', 'dynamicDecompositions'],
  async run(state, around) {
    const decomposed = await decomposeProactively(state, around);
    const composed = composeReady(unfold(decomposed));
    const recipe = recipeOf(composed);
    const schema = { ...composed.schema, ...(recipe !== undefined && { recipe }) };
    return {
      ...(!isSame(schema, state.schema) && { schema }),
      ...(decomposed !== state && { dynamicDecompositions: decomposed.dynamicDecompositions }),
    };
  },
});

/** The composite fields among all that the target is made from; a field that a model has taken apart may hold more of it. */
async function decomposeProactively(state: State, around: Around): Promise<State> {
  let made = state;
  for (let calls = 0; calls < DECOMPOSITIONS_PER_STAGE; calls++) {
    const next = partsOf(made, made.schema.target).find((name) => isComposite(made, name));
    if (next === undefined) break;
    const decomposition = await decompose(made, next, around);
    made = { ...made, dynamicDecompositions: { ...made.dynamicDecompositions, [next]: decomposition } };
  }
  return made;
}

/** Components become fields of the schema, those of components too. */
export function unfold(state: State): State {
  let { schema } = state;
  for (let more = true; more;) {
    more = false;
    for (const parent of [...Object.keys(schema.fields), ...Object.keys(state.dynamicDecompositions)]) {
      const { components = {} } = decompositionOf({ ...state, schema }, parent) ?? {};
      for (const [name, component] of Object.entries(components)) {
        if (Object.hasOwn(schema.fields, name)) continue;
        const field: Field = { ...component, partOf: parent };
        schema = { ...schema, fields: { ...schema.fields, [name]: field } };
        more = true;
      }
    }
  }
  return { ...state, schema };
}

/** A derived field whose components are all ready is what they make. The calculator works it out, with the rest. */
export function composeReady(state: State): State {
  let composed = state;
  const all = Object.keys(state.schema.fields).flatMap((name) => partsOf(state, name));
  for (const name of new Set(all)) {
    const components = componentsOf(composed, name);
    const field = fieldOf(composed, name);
    if (field === undefined || components.length === 0 || isKnown(composed, name)) continue;
    if (!components.every((one) => isReady(composed, one))) continue;
    const { schema } = composed;
    const fields = { ...schema.fields, [name]: { ...field, composed: expressionOf(composed, name) } };
    composed = { ...composed, schema: { ...schema, fields } };
  }
  return composed;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
