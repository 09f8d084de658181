/** The tools of a model that decides one step after the other: capabilities, agents, a plan of its own, and the end. */

import { z } from 'zod';
import type { Agent, Capability } from '../../define/index.ts';
import type { JsonSchema, ModelTool } from '../../model/index.ts';
import { cutCharacters } from '../../language/text/index.ts';

export type ToolMeaning =
  /** `takesTask`: an argument of its own has the name under which others are told what a step is for. */
  | { readonly is: 'capability'; readonly name: string; readonly takesTask: boolean }
  | { readonly is: 'agent'; readonly name: string }
  | { readonly is: 'plan' }
  | { readonly is: 'finish' };

export interface Tools {
  readonly tools: readonly ModelTool[];
  /** Undefined for a tool that there is not. */
  meaningOf(name: string): ToolMeaning | undefined;
  /** How the model knows what carries out a step. */
  nameOf(is: ToolMeaning['is'], name?: string): string;
  readonly names: readonly string[];
}

/** OpenAI: names of functions: letters, digits, `_` and `-`, at most 64. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1000;

export const FINISH = 'finish';
export const SUBMIT_PLAN = 'submit_plan';

const text: JsonSchema = { type: 'string' };

/**
 * In the order of the project, so that the same project gives the same bytes. A name that servers do not take is written with
 * `_` in place of what they refuse.
 * @param given with `plans` the model may submit a plan of several nodes as one step
 */
export function toolsFor(given: {
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly plans: boolean;
}): Tools {
  const meanings = new Map<string, ToolMeaning>();
  const tools: ModelTool[] = [];
  const add = (wanted: string, meaning: ToolMeaning, description: string, parameters: JsonSchema) => {
    const name = freeName(wanted, meanings);
    meanings.set(name, meaning);
    tools.push({ name, description: cutCharacters(description, MAX_DESCRIPTION), parameters });
  };
  add(FINISH, { is: 'finish' }, 'The task is done, or cannot be done: gives the answer and ends.', FINISH_PARAMETERS);
  if (given.plans) add(SUBMIT_PLAN, { is: 'plan' }, PLAN_DESCRIPTION, PLAN_PARAMETERS);
  for (const one of given.capabilities) {
    const schema = schemaOf(one.input);
    const takesTask = TASK_FIELD in propertiesOf(schema);
    add(
      one.name,
      { is: 'capability', name: one.name, takesTask },
      descriptionOf(one),
      takesTask ? schema : withTask(schema),
    );
  }
  for (const { name, description } of given.agents) {
    add(`ask_${name}`, { is: 'agent', name }, `Gives a task to the agent ${name}. ${description}`, AGENT_PARAMETERS);
  }
  return {
    tools,
    meaningOf: (name) => meanings.get(name),
    nameOf: (is, name) => {
      for (const [tool, meaning] of meanings) {
        if (meaning.is === is && (!('name' in meaning) || meaning.name === name)) return tool;
      }
      return freeName(name ?? is, new Map());
    },
    names: [...meanings.keys()],
  };
}

const FINISH_PARAMETERS: JsonSchema = object({ answer: text }, ['answer']);
const AGENT_PARAMETERS: JsonSchema = object({ task: text, hint: text }, ['task']);
const PLAN_DESCRIPTION =
  'Carries out a plan of several tasks as one step: tasks, and set operators that join them. It is compiled and approved as any plan is; a plan with errors is not carried out, and all its errors are told.';
const PLAN_PARAMETERS: JsonSchema = object({ goal: text, plan: { type: 'object' } }, ['goal', 'plan']);

/** The field that every step has beside its arguments. */
export const TASK_FIELD = 'task';

/** The capability's own fields, and the purpose of the step. */
function withTask(schema: JsonSchema): JsonSchema {
  const described = { [TASK_FIELD]: { type: 'string', description: 'What this step is to do, in a sentence.' } };
  return { ...schema, type: 'object', properties: { ...described, ...propertiesOf(schema) } };
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema as { readonly properties?: Readonly<Record<string, JsonSchema>> }).properties ?? {};
}

function schemaOf(input: z.ZodType): JsonSchema {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
    return schema as JsonSchema;
  } catch {
    // An input that cannot be said as a schema is checked all the same.
    return { type: 'object' };
  }
}

function descriptionOf({ description, effect, kind, guide }: Capability): string {
  const changes = effect === 'read' ? '' : ` Changes the world (${effect}): a person may have to approve it.`;
  const asks = kind === 'wait' ? ' Asks a person.' : '';
  return `${description}${changes}${asks}${guide === undefined ? '' : ` When: ${guide.when}`}`;
}

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
  for (let number = 2, name = plain; ; number++) {
    if (!taken.has(name)) return name;
    const suffix = `_${number}`;
    name = plain.slice(0, MAX_NAME - suffix.length) + suffix;
  }
}
