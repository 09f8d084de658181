/** The models of a configuration: the shape of their settings, and whether what is layered fits what it is layered on. */

import { z } from 'zod';
import { durationMs, given, type Duration } from '../protocol/index.ts';
import { didYouMean } from '../plan/index.ts';
import { describeValue } from '../plan/text/index.ts';
import type { Agent } from '../capabilities/index.ts';
import {
  EFFORT,
  fieldsProblem,
  PRICE,
  SECRET_NAME,
  serverFields,
  timeoutShape,
  type ModelClient,
} from '../models/index.ts';
import type { PlannerConfig } from './define-config.ts';
import { isModelClient, serverFieldsOf, type ModelLayer, type ModelSettings } from './model-settings.ts';

/** The time of all attempts at a node by default. */
const MAX_CALL_MS = 3_600_000;
/** The bound of the APIs. */
const MAX_TEMPERATURE = 2;

export const PLAN_FORMS = ['nodes', 'xml'] as const;

const KEYS_ARE_SECRET =
  'an API key does not belong into a config, which is committed and shown; set PLANWRIGHT_MODEL_KEY in the environment ' +
  "(or OPENAI_API_KEY, for OpenAI's own server), take it out here, and make a new key if this file was ever committed";

/** Says which keys there are where one is unknown, and of a key to a server where that belongs. */
function knownKeys(
  shape: object,
  secrets: string,
): (issue: { readonly code?: string; readonly keys?: unknown }) => string | undefined {
  return ({ code, keys }) => {
    if (code !== 'unrecognized_keys' || !Array.isArray(keys)) return undefined;
    const unknown = keys.map(String);
    if (unknown.some((key) => SECRET_NAME.test(key))) return secrets;
    const known = Object.keys(shape);
    const [meant = ''] = unknown.map((key) => didYouMean(key, known)).filter((hint) => hint !== '');
    return `there is no ${unknown.join(', ')}; known are ${known.join(', ')}${meant && `.${meant}`}`;
  };
}

/**
 * An object with these keys and no other; an unknown one is told with the nearest.
 * @param secrets what to say where a key is the name of a secret
 */
export function strict<Shape extends z.ZodRawShape>(shape: Shape, secrets = KEYS_ARE_SECRET) {
  return z.strictObject(shape, { error: knownKeys(shape, secrets) });
}

const A_COUNT = 'expected a whole number from 1';
const TEMPERATURE = 'expected a number from 0 to 2, or null to send none';
const A_WORD = "expected a word of the server, such as 'low' or 'high'";
const BY_NAME =
  "would stand in the config, which is committed and shown; give { env: 'NAME' } in its place, and set that variable " +
  'where the worker runs';
/** Values that are secrets under any name. */
const SECRET_VALUE = /^(?:sk|pk|rk)-|^(?:bearer|basic) /i;
/** Members of a body that are secrets; others have a key that is none, such as `prompt_cache_key`. */
const SECRET_MEMBER = /^(?:api[-_]?key|password|authorization|.*secret.*|(?:(?:access|auth|api)[-_]?)?token)$/i;

function isVariable(value: unknown): boolean {
  const { env, ...more } = (value ?? {}) as { env?: unknown };
  return typeof env === 'string' && /^[A-Za-z_]\w*$/.test(env) && Object.keys(more).length === 0;
}

function secretProblem(field: string, value: unknown): string | undefined {
  const isSecret = ([name, one]: [string, unknown]) =>
    field === 'extraBody'
      ? SECRET_MEMBER.test(name)
      : typeof one === 'string' && (SECRET_NAME.test(name) || SECRET_VALUE.test(one));
  const [name] = (typeof value === 'object' ? Object.entries(value ?? {}) : []).find(isSecret) ?? [];
  if (name === undefined) return undefined;
  return field === 'extraBody' ? `${name}: ${KEYS_ARE_SECRET}` : `the value of ${name} ${BY_NAME}`;
}

/** The first of these values that does not fit, or is a secret that stands in the config. */
export function valuesProblem(values: unknown, field: 'env' | 'headers', most: number): string | undefined {
  const all = typeof values === 'object' && values !== null ? Object.entries(values) : [];
  if (all.length > most) return `has ${all.length}; expected at most ${most}`;
  // A variable may hold what no header can; its name has fewer letters.
  const wrong = field === 'headers' ? fieldsProblem(values, true, isVariable) : environmentProblem(values);
  return wrong ?? secretProblem(field, values);
}

function environmentProblem(values: unknown): string | undefined {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return 'expected an object of texts by their names';
  const [name] =
    Object.entries(values).find(([key, value]) => {
      const isText = typeof value === 'string' && !value.includes('\u0000');
      return !/^[A-Za-z_]\w*$/.test(key) || !(isText || isVariable(value));
    }) ?? [];
  return name === undefined
    ? undefined
    : `the value of ${describeValue(name)} does not fit; expected a text, or { env: 'NAME' }`;
}

const PATIENCE = 'expected a time from 1 ms to a year such as "30m", or 0 for none';

const server = serverFields(isVariable);
/** A value of a header or a query that may be a secret is named by its variable. */
function open<Field extends 'headers' | 'query' | 'extraBody'>(field: Field) {
  return server[field]
    .superRefine((value, context) => {
      const message = secretProblem(field, value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .optional();
}

const settings = {
  ...server,
  ...{ api: server.api.optional(), format: server.format.optional() },
  ...{ headers: open('headers'), query: open('query'), extraBody: open('extraBody') },
  prices: z.record(z.string(), strict(PRICE), 'expected { [model]: { input, cachedInput?, output } }').optional(),
  timeout: strict(timeoutShape(MAX_CALL_MS)).optional(),
  temperature: z.number(TEMPERATURE).min(0, TEMPERATURE).max(MAX_TEMPERATURE, TEMPERATURE).nullable().optional(),
  maxTokens: z.int(A_COUNT).min(1, A_COUNT).optional(),
  reasoningEffort: z.string(A_WORD).regex(EFFORT, A_WORD).optional(),
  patience: z.custom<Duration>((value) => value === 0 || durationMs(value) !== undefined, PATIENCE).optional(),
};
const wholeSettings = strict(settings);

export const ModelSchema = clientOr<ModelSettings>(wholeSettings);

const planner = {
  model: clientOr<Partial<ModelSettings>>(strict(z.object(settings).partial().shape)).optional(),
  prompts: z
    .record(
      z.string(),
      z.custom<NonNullable<PlannerConfig['prompts']>[string]>(
        (one) => typeof one === 'function' || (typeof one === 'string' && one.trim() !== ''),
        'expected a text that is not blank, or a function that gives one',
      ),
    )
    .optional(),
  format: z.enum(PLAN_FORMS, `expected ${PLAN_FORMS.join(' or ')}`).optional(),
};
export const PlannerSchema = strict(planner);

export type ReadPlanner = PlannerConfig & Required<Pick<PlannerConfig, 'format'>>;

/** The planner's settings with their defaults. */
export function readPlanner({ model, prompts, format = 'nodes' }: z.output<typeof PlannerSchema>): ReadPlanner {
  return given({ format, model, prompts });
}

/**
 * The first setting of a model that does not fit, with its place; undefined where all fit.
 * @example modelSettingsProblem({ name: 'large', baseURL: 'no address' }); // 'baseURL: expected http(s)://host/v1 ...'
 */
export function modelSettingsProblem(layer: object): string | undefined {
  const read = strict(settings).safeParse(layer);
  const [issue] = read.success ? [] : read.error.issues;
  return issue === undefined ? undefined : `${issue.path.join('.')}: ${issue.message}`;
}

export interface ConfiguredModels {
  readonly model: ModelLayer;
  readonly planner: ModelLayer;
  readonly agents: readonly Agent[];
}

/** The settings that do not fit together, each with its place in the config. */
export function modelProblems({ model, planner: onTop, agents }: ConfiguredModels): readonly string[] {
  const problems: string[] = [];
  const refuse = (place: string, layer: ModelLayer) => {
    if (!isModelClient(model) || layer === undefined || isModelClient(layer)) return;
    const [field] = serverFieldsOf(layer);
    if (field === undefined) return;
    problems.push(
      `${place}.${field}: config.model is the client ${model.name}, which has a server of its own; ` +
        'set temperature, maxTokens and reasoningEffort here, or give config.model as settings',
    );
  };
  refuse('config.planner.model', onTop);
  for (const [index, agent] of agents.entries()) refuse(`config.agents.${index}.model`, agent.model);
  if (model === undefined && onTop !== undefined && !isModelClient(onTop) && onTop.name === undefined) {
    problems.push(
      'config.planner.model.name: expected the name of a model, since there is no config.model to take it from',
    );
  }
  return problems;
}

/** With a budget of money: models without a price among those that have one. Without any price the server tells the cost, or none is known. */
export function priceProblems({ model, planner: onTop, agents }: ConfiguredModels): readonly string[] {
  if (model === undefined || isModelClient(model) || model.prices === undefined) return [];
  const { prices } = model;
  const named = [
    ['config.model', model],
    ['config.planner.model', onTop],
    ...agents.map((agent, index) => [`config.agents.${index}.model`, agent.model] as const),
  ] as const;
  return named.flatMap(([place, layer]) => {
    if (layer === undefined || isModelClient(layer) || layer.name === undefined) return [];
    const own = 'prices' in layer ? layer.prices : undefined;
    if (Object.hasOwn({ ...prices, ...own }, layer.name)) return [];
    return [`config.budget.money: ${place} is ${layer.name}, which has no price; add it to config.model.prices`];
  });
}

/** A union would say of settings that do not fit no more than that. */
function clientOr<Settings>(schema: z.ZodType) {
  return z.unknown().transform((value, context): Settings | ModelClient => {
    if (isModelClient(value)) return value;
    const read = schema.safeParse(value);
    if (read.success) return read.data as Settings;
    for (const { path, message } of read.error.issues) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
    return z.NEVER;
  });
}
