/** The model and its settings: those of a config, layered over the defaults. */

import { durationMs, given, type Duration, type FormatSupport, type ModelApi } from '../protocol/index.ts';
import type { ModelClient, ModelRequest, OpenAISettings } from '../models/index.ts';

/** A server that speaks the protocol of OpenAI, and how to ask a model of it. */
export interface ModelSettings {
  /** The address of any such server, with its `/v1`: no user, password or query in it. Default: OpenAI's own. */
  readonly baseURL?: string;
  /** The model. */
  readonly name: string;
  /**
   * Default: `chat` where there is a `baseURL`, since every server of this kind has chat completions and some take a format
   * at `responses` and do not keep it (llama.cpp); else `responses`, which OpenAI itself gives its newest models first.
   */
  readonly api?: ModelApi;
  /**
   * The form that the server keeps a reply to: the schema itself, JSON of any shape, or none; the prompt has the rest.
   * Default `json_schema`.
   */
  readonly format?: FormatSupport;
  /** The prices by the name of a model; for one without a price the cost is not known, and told as that. */
  readonly prices?: { readonly [model: string]: ModelPrice };
  /** 0 to 2. Default: none is sent, since models that reason refuse it. `null`: none, on top of a layer that has one. */
  readonly temperature?: number | null;
  /** A word of the server for how much its model thinks, such as `low` or `high`. Default: none is sent. */
  readonly reasoningEffort?: string;
  /** Tokens of one reply. Default: the server's own. */
  readonly maxTokens?: number;
  readonly timeout?: ModelTimeout;
  /**
   * How long a run waits for a server that is away before it asks a person, as `'30m'` or in milliseconds. Default 30 minutes.
   * 0: it does not wait; planning goes on to the fallback, and a loop fails.
   */
  readonly patience?: Duration;
  /** Bytes of what a model writes in one reply, texts and calls. Default 8 MiB, at most 64 MiB. A larger reply is cut off. */
  readonly replyBytes?: number;
  /** Headers of each request, at most 32. A secret is named by its variable: `{ env: 'AZURE_API_KEY' }`. */
  readonly headers?: { readonly [name: string]: ConfiguredValue };
  /** The query of the address, at most 32: `{ 'api-version': '2024-10-21' }`. Secrets as in `headers`. */
  readonly query?: { readonly [name: string]: ConfiguredValue };
  /** Members of the body that nothing else here sets, such as `top_p` and `seed`. */
  readonly extraBody?: NonNullable<OpenAISettings['extraBody']>;
  /** Default `max_completion_tokens` for OpenAI's own server, else `max_tokens`. */
  readonly tokensName?: NonNullable<OpenAISettings['tokensName']>;
  /** Members that this server does not take, so that they are not sent. Default: what it refuses is learnt. */
  readonly omit?: NonNullable<OpenAISettings['omit']>;
}

/** A text, or the variable of the environment that has it. */
export type ConfiguredValue = string | { readonly env: string };

/** Per million tokens, in one currency for the whole project. */
export interface ModelPrice {
  readonly input: number;
  /** The price of input that the server had read before. Default: as `input`. */
  readonly cachedInput?: number;
  readonly output: number;
}

/** In milliseconds. Default: those of the client. */
export interface ModelTimeout {
  /** A whole call, at most 1 h. */
  readonly totalMs?: number;
  /** Between two pieces of a reply, at most 290 s. */
  readonly idleMs?: number;
}

/** The settings of an address: another address begins without them, since they may hold its secrets. */
const ADDRESS_FIELDS = [
  'headers',
  'query',
  'extraBody',
  'tokensName',
  'omit',
] as const satisfies readonly (keyof ModelSettings)[];
/** The settings that a client is made of. */
const SERVER_FIELDS = [
  ...(['baseURL', 'name', 'api', 'format', 'prices', 'timeout', 'replyBytes'] as const),
  ...ADDRESS_FIELDS,
] as const satisfies readonly (keyof ModelSettings)[];
type ServerField = (typeof SERVER_FIELDS)[number];
export type ServerSettings = Pick<ModelSettings, ServerField> & Required<Pick<ModelSettings, 'api' | 'format'>>;

export interface ChosenModel {
  /** The client as it was given, or the settings that one is made of. */
  readonly client: ModelClient | ServerSettings;
  /** Goes into every request. */
  readonly request: Pick<ModelRequest, 'temperature' | 'maxTokens' | 'reasoningEffort'>;
  /** In milliseconds. */
  readonly patienceMs?: number;
}

/** Settings on top of others. */
export type ModelLayer = Partial<ModelSettings> | ModelClient | undefined;

const DEFAULT_FORMAT = 'json_schema';

/**
 * The model that these layers choose, each on top of the one before: the config's, then the planner's or an agent's. Prices
 * are put together by model, timeouts by field, headers and query by name; else the last word counts. A client replaces the
 * server below it, and another address what belongs to the one below: its headers, query, body and omissions.
 * @returns undefined where no layer names a model
 * @throws TypeError where a layer says something of the server on top of a client; `checkConfig` refuses that before
 * @example modelSettings(config.model, config.planner.model)
 */
export function modelSettings(...layers: readonly ModelLayer[]): ChosenModel | undefined {
  let client: ModelClient | undefined;
  let merged: Partial<ModelSettings> = {};
  for (const layer of layers) {
    if (layer === undefined) continue;
    if (isModelClient(layer)) {
      client = layer;
      continue;
    }
    const [field] = serverFieldsOf(layer);
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

/** A client as `planner` has them: real, or scripted for demos and tests. */
export function isModelClient(value: unknown): value is ModelClient {
  if (typeof value !== 'object' || value === null) return false;
  const { name, complete } = value as Partial<ModelClient>;
  return typeof name === 'string' && typeof complete === 'function';
}

/** The settings of these that are about the server. */
export function serverFieldsOf(layer: Partial<ModelSettings>): readonly ServerField[] {
  return SERVER_FIELDS.filter((field) => layer[field] !== undefined);
}

/** Settings that are put together by name. */
const TOGETHER = ['prices', 'timeout', 'headers', 'query', 'extraBody'] as const;

function onTop(lower: Partial<ModelSettings>, layer: Partial<ModelSettings>): Partial<ModelSettings> {
  const isMoved = layer.baseURL !== undefined && layer.baseURL !== lower.baseURL;
  const below = { ...lower };
  for (const field of isMoved ? ADDRESS_FIELDS : []) delete below[field];
  const said = given(layer);
  for (const field of TOGETHER) {
    const fields = { ...below[field], ...given(said[field] ?? {}) };
    if (Object.keys(fields).length > 0) Object.assign(said, { [field]: fields });
    else delete said[field];
  }
  return { ...below, ...said };
}
