/** The model that the layers of a config choose, each on top of the one before. */

import type { ModelClient, ModelRequest } from '../models/index.ts';
import { durationMs, given } from '../protocol/index.ts';
import { isModelClient, serverFieldIn, type ModelLayer, type ModelSettings } from './model-schema.ts';

/** The settings of an address: another address begins without them, since they may hold its secrets. */
const ADDRESS_FIELDS = ['headers', 'query', 'extraBody', 'tokensName', 'omit'] as const;
/** Settings that are put together by name. */
const TOGETHER = ['prices', 'timeout', 'headers', 'query', 'extraBody'] as const;
const DEFAULT_FORMAT = 'json_schema';

/** The settings that a client is made of. */
export type ServerSettings = Omit<ModelSettings, 'temperature' | 'maxTokens' | 'reasoningEffort' | 'patience'> & {
  readonly api: NonNullable<ModelSettings['api']>;
  readonly format: NonNullable<ModelSettings['format']>;
};

export interface ChosenModel {
  /** The client as it was given, or the settings that one is made of. */
  readonly client: ModelClient | ServerSettings;
  /** Goes into every request. */
  readonly request: Pick<ModelRequest, 'temperature' | 'maxTokens' | 'reasoningEffort'>;
  /** In milliseconds. */
  readonly patienceMs?: number;
}

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
  const said: object = given(layer);
  for (const field of TOGETHER) {
    const fields = { ...below[field], ...given(layer[field] ?? {}) };
    if (Object.keys(fields).length > 0) Object.assign(said, { [field]: fields });
    else Reflect.deleteProperty(said, field);
  }
  return { ...below, ...said };
}
