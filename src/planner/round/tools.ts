import type { Agent, Capability, DecidingTask, LoopPolicy } from '../../capabilities/index.ts';
import type { JsonSchema, ModelTool } from '../../models/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { planFormat, schemaOf, withoutNamespace } from '../form/index.ts';
import { fenced } from '../prompts/index.ts';

export type ToolMeaning =
  /** `takesTask`: the capability itself has an argument with the name that others use for a step's purpose. */
  | {
      readonly is: 'capability';
      readonly name: string;
      readonly takesTask: boolean;
      /**
       * True if the capability has no effect and needs no approval. One decision may then contain several of its calls.
       */
      readonly isRead: boolean;
    }
  | { readonly is: 'agent'; readonly name: string }
  | { readonly is: 'plan' }
  | { readonly is: 'finish' };

export interface Tools {
  readonly tools: readonly ModelTool[];
  meaningOf(name: string): ToolMeaning | undefined;
  takesText(name: string, argument: string): boolean;
  nameOf(is: ToolMeaning['is'], name?: string): string;
  readonly names: readonly string[];
}

/** Maximum characters of a function name at OpenAI. Names consist of letters, digits, `_` and `-`. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1000;
const MAX_FOREIGN = 600;

export const FINISH = 'finish';
export const SUBMIT_PLAN = 'submit_plan';

const text: JsonSchema = { type: 'string' };

/**
 * Makes the tools in the order of the project, so that requests have equal bytes.
 * @param options `plans`: a whole plan may be one step
 */
export function toolsFor(options: {
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
  const ownName = (name: string) => plainName(withoutNamespace(name, (one) => meanings.has(plainName(one))));
  add(FINISH, { is: 'finish' }, 'Ends the task with its answer, or with what is in the way.', FINISH_PARAMETERS);
  if (options.plans) add(SUBMIT_PLAN, { is: 'plan' }, PLAN_DESCRIPTION, planParameters(options.capabilities));
  for (const one of options.capabilities) {
    const schema = parametersOf(one);
    const takesTask = TASK_FIELD in schemaProperties(schema);
    add(
      one.name,
      { is: 'capability', name: one.name, takesTask, isRead: isRead(one) },
      descriptionOf(one),
      takesTask ? schema : withTask(schema),
    );
  }
  for (const { name, description } of options.agents) {
    add(`ask_${name}`, { is: 'agent', name }, `Gives a task to the agent ${name}. ${description}`, AGENT_PARAMETERS);
  }
  return {
    tools,
    meaningOf: (name) => meanings.get(ownName(name)),
    takesText: (name, argument) => {
      const { parameters = {} } = tools.find((one) => one.name === ownName(name)) ?? {};
      return schemaProperties(parameters)[argument]?.['type'] === 'string';
    },
    nameOf: (is, name) => {
      const found = [...meanings].filter(([, meaning]) => meaning.is === is);
      const toolOf = (one = '') => found.find(([, meaning]) => !('name' in meaning) || meaning.name === one)?.[0];
      const own = withoutNamespace(name ?? is, (one) => toolOf(one) !== undefined);
      return toolOf(own) ?? freeName(own, new Map());
    },
    names: [...meanings.keys()],
  };
}

const FINISH_PARAMETERS: JsonSchema = object({ answer: text }, ['answer']);
const AGENT_PARAMETERS: JsonSchema = object({ task: text, hint: text }, ['task']);
const PLAN_DESCRIPTION =
  'Several tasks as one step, and set operators that join them. Capabilities take the arguments of their own tools.';

function planParameters(capabilities: readonly Capability[]): JsonSchema {
  const { nodes = {} } = schemaProperties(planFormat(capabilities, [], { isOpen: true }).schema);
  return describedSchema(object({ [TASK_FIELD]: text, nodes }, ['nodes']), UNASKED) as JsonSchema;
}

const UNASKED = ['hint', 'left', 'right', 'invert'];

/** Fields of questions that models do not see, since a model could answer for the person with them. */
const OF_PEOPLE = ['default', 'deadline', 'roles'];

/** The field of every step for its purpose, beside its arguments. */
export const TASK_FIELD = 'task';

function withTask(schema: JsonSchema): JsonSchema {
  return { ...schema, type: 'object', properties: { [TASK_FIELD]: text, ...schemaProperties(schema) } };
}

function schemaProperties(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema as { readonly properties?: Readonly<Record<string, JsonSchema>> }).properties ?? {};
}

function parametersOf({ input, kind }: Capability): JsonSchema {
  const { $schema: _, ...schema } = schemaOf(input);
  return describedSchema(schema, kind === 'wait' ? OF_PEOPLE : []) as JsonSchema;
}

/** Removes from a schema what a model does not need, since every request pays for it. The compiler checks the step. */
function describedSchema(schema: unknown, hidden: readonly string[] = []): unknown {
  if (Array.isArray(schema)) return schema.map((one) => describedSchema(one, hidden));
  if (!isRecord(schema)) return schema;
  const members = Object.entries(schema).filter(([keyword, value]) => !isIdle(keyword, value, schema));
  return Object.fromEntries(
    members.map(([keyword, value]) => {
      if (keyword !== 'properties' || !isRecord(value)) return [keyword, describedSchema(value, hidden)];
      const fields = Object.entries(value).filter(([name]) => !hidden.includes(name));
      return [keyword, Object.fromEntries(fields.map(([name, one]) => [name, describedSchema(one, hidden)]))];
    }),
  );
}

function isIdle(keyword: string, value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  switch (keyword) {
    case 'propertyNames':
    case 'minLength':
    case 'maxLength':
    case 'default':
      return true;
    case 'additionalProperties':
      return value === false || Object.keys(Object(value)).length === 0;
    case 'minimum':
    case 'maximum':
      return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
    case 'type':
      return value === 'string' && Array.isArray(schema['enum']);
    default:
      return false;
  }
}

function descriptionOf({ description, describedBy, effect, kind, requires, provides, guide }: Capability): string {
  return [
    // The text is cut before it is marked, so that the closing mark stays within the description's limit.
    describedBy === undefined ? description : fenced(describedBy, description, MAX_FOREIGN),
    effect === 'read' ? undefined : `Changes the world (${effect}); may wait for approval.`,
    kind === 'wait' && !description.includes('Asks a person') ? 'Asks a person.' : undefined,
    requires.length === 0 ? undefined : `Needs: ${requires.join(', ')}.`,
    provides.length === 0 ? undefined : `Gives: ${provides.join(', ')}.`,
    guide === undefined ? undefined : `When: ${guide.when}`,
  ]
    .filter((one) => one !== undefined)
    .join(' ');
}

/** Whether a decision may contain several of these calls. `respond` ends the loop, so it must be the only call. */
function isRead({ name, effect, kind }: Capability): boolean {
  return effect === 'read' && kind !== 'wait' && name !== 'respond';
}

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
}

function freeName(wanted: string, used: ReadonlyMap<string, unknown>): string {
  const plain = plainName(wanted);
  for (let number = 2, name = plain; ; number++) {
    if (!used.has(name)) return name;
    const suffix = `_${number}`;
    name = plain.slice(0, MAX_NAME - suffix.length) + suffix;
  }
}

export interface Decider {
  readonly agent?: Agent;
  readonly policy: LoopPolicy;
  readonly task: DecidingTask;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly tools: Tools;
}

/** Adds the tools of a decider: its capabilities and agents, and `submit_plan`. */
export function withTools(decider: Omit<Decider, 'tools'>): Decider {
  return { ...decider, tools: toolsFor({ ...decider, plans: true }) };
}

export function offering({ capabilities, ...decider }: Decider, names: readonly string[]): Decider {
  return withTools({ ...decider, capabilities: capabilities.filter(({ name }) => names.includes(name)) });
}
