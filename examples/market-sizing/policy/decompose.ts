/** Takes a field apart with the model's help: what it is made from, checked before anybody believes it. */

import { z } from 'zod';
import { fenced, ModelError, type JsonSchema, type ModelRequest } from 'planwright';
import { listNames, messageOf, quote } from '../../words.ts';
import { fieldOf, MAX_FIELDS } from './fields.ts';
import type { Around } from './stages.ts';
import type { Decomposition, NoDecomposition, State } from './state.ts';

/** Calls of the model that one stage of one round makes for decompositions. */
export const DECOMPOSITIONS_PER_STAGE = 3;
const MAX_COMPONENTS = 6;
const MAX_EXPRESSION = 500;
const MAX_TEXT = 200;
const GOAL_CHARACTERS = 20_000;

const NAME = /^[a-z][a-z0-9_]{0,39}$/;
const text = z.string().trim().min(1).max(MAX_TEXT);

const component = z.strictObject({
  name: z.string().regex(NAME, 'expected lower-case letters, digits and "_", at most 40 and a letter first'),
  title: text,
  prefer: z.enum(['web', 'user']),
  unit: text.optional(),
  /** Figures of other regions do not count. */
  regional: z.literal(true).optional(),
  label: text.optional(),
  queries: z.array(text).max(MAX_COMPONENTS).optional(),
  question: text.optional(),
  least: z.number().optional(),
  most: z.number().optional(),
});

const reply = z.strictObject({
  /** `none` where it cannot be taken apart; then the rest is left out. */
  none: text.optional(),
  expression: z.string().max(MAX_EXPRESSION).optional(),
  components: z.array(component).max(MAX_COMPONENTS).optional(),
});

const FORMAT = { name: 'decomposition', schema: z.toJSONSchema(reply, { io: 'input' }) as JsonSchema };

const INSTRUCTIONS =
  'You take a quantity apart into what it is worked out from, for a market that is sized bottom-up. Name 2 to 6 components ' +
  'that can be found in public sources ("web") or that only the person knows ("user"), and the arithmetic expression over ' +
  'their names. Say which are figures of the region ("regional"). Write how each figure is labelled on pages, what to search by, and what to ask. Where it cannot be taken ' +
  'apart say why in "none".';

/** One call of the model; one that fails has no decomposition, and says why. */
export async function decompose(state: State, name: string, around: Around): Promise<Decomposition | NoDecomposition> {
  try {
    const { value } = await around.ask(`decompose.${name}`, decomposeRequest(state, name, around));
    return readDecomposition(state, name, value);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { none: messageOf(error) };
  }
}

function decomposeRequest(state: State, name: string, { task }: Around): ModelRequest {
  const { title = name, unit } = fieldOf(state, name) ?? {};
  const facts = { field: name, title, ...(unit !== undefined && { unit }), taken: Object.keys(state.schema.fields) };
  const content = [
    fenced('the goal', task.goal, GOAL_CHARACTERS),
    fenced('the task', `Decompose ${name}`, MAX_TEXT),
    fenced('the field', JSON.stringify(facts), GOAL_CHARACTERS),
  ].join('\n\n');
  return {
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content },
    ],
    format: FORMAT,
  };
}

/** Reads a decomposition, or tells why there is none. */
export function readDecomposition(state: State, name: string, value: unknown): Decomposition | NoDecomposition {
  const read = reply.safeParse(value);
  if (!read.success) {
    return { none: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
  }
  const { none, expression, components = [] } = read.data;
  if (none !== undefined) return { none };
  if (expression === undefined || components.length < 2) return { none: `${name}: no expression over 2 components` };
  const names = components.map((one) => one.name);
  const taken = names.filter((one, at) => fieldOf(state, one) !== undefined || names.indexOf(one) !== at);
  if (taken.length > 0) return { none: `${name}: ${listNames(taken)} is the name of a field already` };
  const mentioned = [...expression.matchAll(/[A-Za-z_]\w*(?!\w|\s*\()/g)].map(([one]) => one);
  const unknown = mentioned.find((one) => !names.includes(one));
  if (unknown !== undefined) return { none: `${name}: its expression has ${quote(unknown)}, which is no component` };
  const idle = names.find((one) => !mentioned.includes(one));
  if (idle !== undefined) return { none: `${name}: its expression leaves out the component ${quote(idle)}` };
  if (Object.keys(state.schema.fields).length + names.length > MAX_FIELDS) {
    return { none: `${name}: a market has at most ${MAX_FIELDS} fields` };
  }
  const fields = components.map(({ name: own, ...field }) => [own, { ...defined(field), kind: 'number' as const }]);
  return { expression, components: Object.fromEntries(fields) as Decomposition['components'] };
}

function defined<T extends object>(from: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
