import { z } from 'zod';
import type { Agent } from '../capabilities/index.ts';
import {
  EFFORT,
  isLanguageModel,
  languageModelClient,
  PRICE,
  serverFields,
  timeoutShape,
  type LanguageModel,
  type ModelClient,
  type ModelRequest,
  type OpenAISettings,
} from '../models/index.ts';
import { durationMs, given, isRecord, type Duration } from '../protocol/index.ts';
import { isVariable, refuseSecretMembers, refuseSecrets, strict, type ConfiguredValues } from './secrets.ts';

/**
 * Maximum timeout of a model call in ms that a config may set: the default limit for all attempts at a node together.
 */
const MAX_CALL_MS = 3_600_000;
/** The highest temperature that model APIs accept. */
const MAX_TEMPERATURE = 2;
const A_COUNT = 'expected a whole number from 1';
const TEMPERATURE = 'expected a number from 0 to 2, or null to send none';
const A_WORD = "expected a word of the server, such as 'low' or 'high'";
const PATIENCE = 'expected a time from 1 ms to a year such as "30m", or 0 for none';
const A_PROMPT = 'expected a text that is not blank, or a function that gives one';
const PLAN_FORMS = ['nodes', 'xml'] as const;

type Body = NonNullable<OpenAISettings['extraBody']>;

const ofServer = serverFields(isVariable);
const price = strict(PRICE).readonly();
/** Headers of requests. */
export const headers = ofServer.headers.superRefine(refuseSecrets) as unknown as z.ZodOptional<
  z.ZodType<ConfiguredValues, ConfiguredValues>
>;

const settings = {
  /** The name of the model, as its server has it. */
  name: ofServer.name,
  /** The address of any server that speaks OpenAI's protocol, with its `/v1`: no user, password or query in it. Default: OpenAI's own. */
  baseURL: ofServer.baseURL,
  /**
   * The API of the server to call: `responses` or `chat` (chat completions). Default: `responses` for OpenAI's own
   * server, whose newest models it offers first; `chat` with a `baseURL`, since every server supports it, and some
   * (llama.cpp) ignore `format` at `responses`.
   */
  api: ofServer.api.optional(),
  /**
   * How strictly the server enforces the form of a reply: `json_schema` (a schema), `json_object` (any JSON) or `none`.
   * With the last two the prompt contains the schema. The reply is checked in each case. Default `json_schema`.
   */
  format: ofServer.format.optional(),
  /**
   * Prices by the name of a model: `{ input, cachedInput?, output }` per million tokens, in one currency. Without a
   * price the cost is what the server reports (OpenRouter: in US dollars), else unknown, never 0.
   */
  prices: z.record(z.string(), price, 'expected { [model]: { input, cachedInput?, output } }').readonly().optional(),
  /**
   * Temperature, 0 to 2. Default: none is sent, since reasoning models reject it. For an agent or the planner, `null`
   * removes the project's.
   */
  temperature: z.number(TEMPERATURE).min(0, TEMPERATURE).max(MAX_TEMPERATURE, TEMPERATURE).nullable().optional(),
  /** How much the model thinks, in a word of its server, such as `low` or `high`. Default: not sent. */
  reasoningEffort: z.string(A_WORD).regex(EFFORT, A_WORD).optional(),
  /** Maximum number of tokens in one reply. Default: the server's own. */
  maxTokens: z.int(A_COUNT).min(1, A_COUNT).optional(),
  /** Timeouts in milliseconds: `totalMs` for a whole call (at most 1 h), `idleMs` between pieces (at most 290 s). */
  timeout: strict(timeoutShape(MAX_CALL_MS)).readonly().optional(),
  /**
   * How long a run waits for a model server that does not answer before it asks a person
   * (docs/planning.md#model-outages), as `'30m'` or in milliseconds. Default 10 minutes. With 0 it does not
   * wait: planning ends with the fallback plan, and a loop fails.
   */
  patience: z.custom<Duration>((value) => value === 0 || durationMs(value) !== undefined, PATIENCE).optional(),
  /** Maximum bytes of one reply, texts and calls together. Default 8 MiB, at most 64 MiB. A larger one is cut off. */
  replyBytes: ofServer.replyBytes,
  /** Headers of each request, at most 32. A secret is named by its variable: `{ env: 'AZURE_API_KEY' }`. */
  headers,
  /** The query of the address, at most 32 parameters: `{ 'api-version': '2024-10-21' }`. Secrets as in `headers`. */
  query: ofServer.query.superRefine(refuseSecrets) as unknown as typeof headers,
  /** Members of the request body that no other setting sets, such as `{ top_p: 0.9, seed: 7 }`. At most 64 KiB. */
  extraBody: ofServer.extraBody.superRefine(refuseSecretMembers) as unknown as z.ZodOptional<z.ZodType<Body, Body>>,
  /** The name of `maxTokens` in a request. Default `max_completion_tokens` for OpenAI, otherwise `max_tokens`. */
  tokensName: ofServer.tokensName,
  /**
   * Members of a request to omit, since the server rejects them: `temperature`, `top_p`, `seed`, `stream_options`,
   * `parallel_tool_calls`, `tool_choice`, `strict`, `reasoning_effort`, `include`, `thoughts` (the reasoning of earlier
   * replies). Default: those that it has rejected so far.
   */
  omit: ofServer.omit,
};
const whole = strict(settings);
const partly = strict(z.object(settings).partial().shape);

/** A server that speaks the protocol of OpenAI, and how to ask a model of it. docs/config-keys.md has every key. */
export interface ModelSettings extends Readonly<z.input<z.ZodObject<typeof settings>>> {}

/** The prices of a million tokens, in one currency for all models. `cachedInput` defaults to `input`. */
export interface ModelPrice extends z.input<typeof price> {}

/** One layer of model settings, which overrides earlier layers, or a client in its place. */
export type ModelLayer = Partial<ModelSettings> | ModelClient | LanguageModel | undefined;

/** Whether a value is a client: a real one, or a scripted one for demos and tests. */
export function isModelClient(value: unknown): value is ModelClient {
  if (typeof value !== 'object' || value === null) return false;
  const { name, complete } = value as Partial<ModelClient>;
  return typeof name === 'string' && typeof complete === 'function';
}

const clients = new WeakMap<LanguageModel, ModelClient>();

/** The value if it is a client, or the client for a language model of the AI SDK (always the same one). */
export function clientIn(value: unknown): ModelClient | undefined {
  if (isModelClient(value)) return value;
  if (!isLanguageModel(value)) return undefined;
  const client = clients.get(value) ?? languageModelClient(value);
  clients.set(value, client);
  return client;
}

const isSettings = (layer: ModelLayer): layer is Partial<ModelSettings> | undefined => clientIn(layer) === undefined;
const OLD_MODEL = 'this language model has an old specificationVersion; expected v2 or later, so update its provider';

/** Settings or a client. No union of schemas, since its error would not name the wrong setting. */
function orClient<Settings>(schema: z.ZodType) {
  return z.custom<Settings | ModelClient | LanguageModel>().superRefine((value, context) => {
    if (clientIn(value) !== undefined) return;
    if (isRecord(value) && 'specificationVersion' in value) return context.addIssue(OLD_MODEL);
    for (const { path, message } of schema.safeParse(value).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });
}

export const modelSchema = orClient<ModelSettings>(whole);

const planning = {
  /** The planner's model: settings on top of the project's `model`, or a client instead of it. */
  model: orClient<Partial<ModelSettings>>(partly).optional(),
  /** The prompts by purpose, each a text or a function that returns one (docs/planning.md#what-models-are-told). */
  prompts: z
    .record(
      z.string(),
      z.custom<string | ((...args: never[]) => string)>(
        (one) => typeof one === 'function' || (typeof one === 'string' && one.trim() !== ''),
        A_PROMPT,
      ),
    )
    .readonly()
    .optional(),
  /** The form in which a model writes a plan: `nodes`, a flat list of nodes, or `xml` (Calute). Default `nodes`. */
  format: z.enum(PLAN_FORMS, `expected ${PLAN_FORMS.join(' or ')}`).optional(),
};
export const plannerSchema = strict(planning);

/** How a goal becomes a plan: `model`, `prompts` and `format` (docs/configuration.md). */
export interface PlannerConfig extends Readonly<z.input<z.ZodObject<typeof planning>>> {}

/**
 * The first invalid model setting with its path; undefined if all are valid.
 * @example modelSettingsProblem({ name: 'large', baseURL: 'no address' }); // 'baseURL: expected http(s)://host/v1 ...'
 */
export function modelSettingsProblem(written: object): string | undefined {
  const [issue] = whole.safeParse(written).error?.issues ?? [];
  return issue === undefined ? undefined : `${issue.path.join('.')}: ${issue.message}`;
}

/** The settings that belong to a request, which any client accepts. All others belong to a server. */
const OF_REQUEST: readonly string[] = ['temperature', 'maxTokens', 'reasoningEffort', 'patience'];

function serverFieldIn(written: Partial<ModelSettings>): string | undefined {
  return Object.entries(written).find(([name, value]) => value !== undefined && !OF_REQUEST.includes(name))?.[0];
}

interface ConfiguredModels {
  readonly model?: ModelLayer;
  readonly planner?: Pick<PlannerConfig, 'model'> | undefined;
  readonly agents: readonly Agent[];
}

/**
 * Problems of settings that do not fit together, each with its place.
 * @param isPaid whether there is a budget in money. If so, every model needs a price, or none has one and the server
 * reports costs
 */
export function modelProblems({ model, planner, agents }: ConfiguredModels, isPaid: boolean): readonly string[] {
  const layers = [
    ['config.planner.model', planner?.model] as const,
    ...agents.map((agent, index) => [`config.agents.${index}.model`, agent.model as ModelLayer] as const),
  ].flatMap(([place, one]) => (one === undefined || !isSettings(one) ? [] : [{ place, one }]));
  if (!isSettings(model)) {
    return layers.flatMap(({ place, one }) => {
      const field = serverFieldIn(one);
      if (field === undefined) return [];
      return `${place}.${field}: config.model is the client ${clientIn(model)?.name}, which has a server of its own; set temperature, maxTokens and reasoningEffort here, or give config.model as settings`;
    });
  }
  if (model === undefined) {
    const isNameless = planner?.model !== undefined && isSettings(planner.model) && planner.model.name === undefined;
    const needed = 'expected the name of a model, since there is no config.model to take it from';
    return isNameless ? [`config.planner.model.name: ${needed}`] : [];
  }
  const { prices } = model;
  if (!isPaid || prices === undefined) return [];
  return [{ place: 'config.model', one: model }, ...layers].flatMap(({ place, one: { name, prices: own } }) => {
    if (name === undefined || Object.hasOwn({ ...prices, ...own }, name)) return [];
    return `config.budget.money: ${place} is ${name}, which has no price; add it to config.model.prices`;
  });
}

/** Settings that are dropped if a layer changes the server's address: they may hold secrets for the old server. */
const ADDRESS_FIELDS = ['headers', 'query', 'extraBody', 'tokensName', 'omit'] as const;
/** Settings that layers merge by key. */
const TOGETHER = ['prices', 'timeout', 'headers', 'query', 'extraBody'] as const;
const DEFAULT_FORMAT = 'json_schema';

/** Settings that a client of the server needs. */
export type ServerSettings = Omit<ModelSettings, 'temperature' | 'maxTokens' | 'reasoningEffort' | 'patience'> & {
  readonly api: NonNullable<ModelSettings['api']>;
  readonly format: NonNullable<ModelSettings['format']>;
};

export interface ChosenModel {
  readonly client: ModelClient | ServerSettings;
  readonly request: Pick<ModelRequest, 'temperature' | 'maxTokens' | 'reasoningEffort'>;
  readonly patienceMs?: number;
}

/**
 * The model of these layers, each on top of the previous one: the config's, then the planner's or an agent's. Prices,
 * timeouts, headers and query are merged by key; otherwise the last layer wins. A client replaces the server below it.
 * A layer with another address drops the headers, query, body members and omissions of the layers below.
 * @returns undefined if no layer names a model
 * @throws TypeError if a layer has server settings on top of a client, which `checkConfig` rejects earlier
 * @example modelSettings(config.model, config.planner.model)
 */
export function modelSettings(...layers: readonly ModelLayer[]): ChosenModel | undefined {
  let client: ModelClient | undefined;
  let merged: Partial<ModelSettings> = {};
  for (const layer of layers) {
    if (layer === undefined) continue;
    if (!isSettings(layer)) {
      client = clientIn(layer);
      continue;
    }
    const field = serverFieldIn(layer);
    if (client !== undefined && field !== undefined) {
      throw new TypeError(`model.${field} is set on top of the client ${client.name}, which has a server of its own`);
    }
    merged = onTop(merged, layer);
  }
  const { temperature, maxTokens, reasoningEffort, patience, ...server } = merged;
  const patient = patience !== undefined && { patienceMs: durationMs(patience) ?? 0 };
  const request = given({ temperature: temperature ?? undefined, maxTokens, reasoningEffort });
  if (client !== undefined) return { client, request, ...patient };
  const { name, baseURL, api = baseURL === undefined ? 'responses' : 'chat', format = DEFAULT_FORMAT } = server;
  return name === undefined ? undefined : { client: { ...server, name, api, format }, request, ...patient };
}

function onTop(lower: Partial<ModelSettings>, layer: Partial<ModelSettings>): Partial<ModelSettings> {
  const isMoved = layer.baseURL !== undefined && layer.baseURL !== lower.baseURL;
  const below: { -readonly [Name in keyof ModelSettings]?: ModelSettings[Name] } = { ...lower };
  for (const field of isMoved ? ADDRESS_FIELDS : []) delete below[field];
  const layered: object = given(layer);
  for (const field of TOGETHER) {
    const fields = { ...below[field], ...given(layer[field] ?? {}) };
    if (Object.keys(fields).length > 0) Object.assign(layered, { [field]: fields });
    else Reflect.deleteProperty(layered, field);
  }
  return { ...below, ...layered };
}
