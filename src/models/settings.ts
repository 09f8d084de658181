/** The settings of a model server. One schema serves both `openAIClient` and the config of a project. */

import { z } from 'zod';
import { isRecord, MODEL_APIS, MODEL_FORMATS, type FormatSupport, type ModelApi } from '../protocol/index.ts';
import { describeValue, listNames } from '../plan/text/index.ts';
import type { JsonValue } from '../plan/index.ts';
import { OMITTABLE, TOKENS_NAMES, type Omittable, type TokensName } from './personality.ts';
import type { ModelRequest, ModelUsage } from './model-client.ts';

/** A text, or a secret that never appears in an error or a reply. */
export type WireValue = string | { readonly secret: string };

/** The settings of `openAIClient`: the server and its model, the limits of a call, and the prices. */
export interface OpenAISettings {
  /** The address of a server, including its `/v1`, without user or password. Default: OpenAI's address. */
  readonly baseURL?: string;
  /** The key of the server. By default no key is sent, as for a local server. */
  readonly apiKey?: string;
  readonly name: string;
  readonly api: ModelApi;
  readonly format: FormatSupport;
  readonly prices?: Prices;
  readonly timeout?: {
    /** Maximum duration of a whole call in milliseconds. Default 10 minutes. */
    readonly totalMs?: number;
    /** Maximum milliseconds before the first piece of an answer and between pieces. Default 3 min, at most 290 s. */
    readonly idleMs?: number;
  };
  /** Maximum bytes that the model may write in one reply, with tool calls. Default 8 MiB, at most 64 MiB. */
  readonly replyBytes?: number;
  /** Headers of each request, at most 32, such as Azure's `api-key` or the tenant of a proxy. */
  readonly headers?: { readonly [name: string]: WireValue };
  /** Query parameters of the address, at most 32, such as Azure's `api-version`. */
  readonly query?: { readonly [name: string]: WireValue };
  /** Members of the body without a setting here, such as `top_p` and `seed`; at most 64 KiB as JSON. */
  readonly extraBody?: { readonly [member: string]: JsonValue };
  /** The name of the token limit. Default: `max_completion_tokens` for OpenAI's server, `max_tokens` for others. */
  readonly tokensName?: TokensName;
  /** Members that the server rejects and that are not sent. By default, the client learns them from errors. */
  readonly omit?: readonly Omittable[];
}

/**
 * Default maximum duration of a call in ms. A retry begins from the start, so this also limits the cost of a failure.
 */
export const TOTAL_MS = 10 * 60 * 1000;
/** Default maximum silence within a call in ms. Models send nothing while they reason. */
export const IDLE_MS = 3 * 60 * 1000;
/** The largest `idleMs` that a project may set, since the fetch of Node.js fails after 300 s of silence. */
const MAX_IDLE_MS = 290 * 1000;
/** Maximum duration of a call in ms. With a longer one, a Node.js timer fires at once. */
export const MAX_TOTAL_MS = 2_147_483_647;
/** Default maximum bytes of a reply. A server that repeats itself must not fill the worker's memory. */
export const REPLY_BYTES = 8 * 1024 * 1024;
/** Maximum value of the setting `replyBytes`. A reply is in memory twice: as text, and parsed. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

export const SECRET_NAME =
  /key|secret|password|authorization|credential|bearer|cookie|^(?:access|auth|api)?[-_]?token$/i;
const OWN_MEMBERS: Readonly<Record<string, string>> = {
  ...{ model: 'name', messages: '', input: '', tools: '', stream: '', stream_options: '', store: '', n: '' },
  ...{ response_format: 'format', text: 'format', max_tokens: 'maxTokens', max_completion_tokens: 'maxTokens' },
  ...{ max_output_tokens: 'maxTokens', temperature: 'temperature', reasoning_effort: 'reasoningEffort' },
  ...{ reasoning: 'reasoningEffort', tool_choice: '', parallel_tool_calls: '', include: '', functions: '' },
};
const OWN_HEADERS = ['accept', 'connection', 'content-length', 'content-type', 'host', 'transfer-encoding'];
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
const MAX_FIELDS = 32;
const MAX_FIELD_CHARACTERS = 8192;
const MAX_EXTRA_BYTES = 64 * 1024;

/** The message about an invalid address. The address may contain a secret, so the message does not quote it. */
const ADDRESS = 'expected http(s)://host/v1 without user, password or query, which would be shown with the config';
const LISTED = `expected a list of these: ${OMITTABLE.join(', ')}`;
const A_NAME = 'expected the name of a model';
const amount = z.number('expected a number from 0, per million tokens').min(0, 'expected a number from 0');
const count = z.int('expected a whole number from 1').min(1, 'expected a whole number from 1');
const bounded = (max: number, unit: string) => count.max(max, `expected ${unit}, at most ${max}`).optional();

export const PRICE = { input: amount, cachedInput: amount.optional(), output: amount };
export const timeoutShape = (mostMs: number) => ({
  totalMs: bounded(mostMs, 'milliseconds'),
  idleMs: bounded(MAX_IDLE_MS, 'milliseconds'),
});

/** @param isValue whether a header or a query parameter may have a value that is not a text */
export function serverFields(isValue: (value: unknown) => boolean) {
  return {
    name: z.string(A_NAME).refine((name) => name.trim() !== '', A_NAME),
    baseURL: z.string(ADDRESS).refine(isAddress, ADDRESS).optional(),
    api: z.enum(MODEL_APIS, `expected ${MODEL_APIS.join(' or ')}`),
    format: z.enum(MODEL_FORMATS, `expected one of ${MODEL_FORMATS.join(', ')}`),
    replyBytes: bounded(MAX_REPLY_BYTES, 'bytes'),
    headers: judged((value) => fieldsProblem(value, true, isValue)),
    query: judged((value) => fieldsProblem(value, false, isValue)),
    extraBody: judged(bodyProblem),
    tokensName: z.enum(TOKENS_NAMES, `expected ${TOKENS_NAMES.join(' or ')}`).optional(),
    omit: z.array(z.enum(OMITTABLE, LISTED), LISTED).optional(),
  };
}

function judged(problemOf: (value: unknown) => string | undefined) {
  const check = z.unknown().superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== undefined) context.addIssue(problem);
  });
  return check.optional();
}

const SETTINGS = z.object({
  ...serverFields((value) => z.object({ secret: z.string().regex(/^[\x20-\x7e]+$/) }).safeParse(value).success),
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected visible ASCII characters and no spaces')
    .optional(),
  prices: z.record(z.string(), z.object(PRICE)).optional(),
  timeout: z.object(timeoutShape(MAX_TOTAL_MS)).optional(),
});

/** Checks settings. @throws TypeError that names the invalid setting, without its value */
export function checkSettings(settings: OpenAISettings): void {
  const [issue] = SETTINGS.safeParse(settings).error?.issues ?? [];
  if (issue !== undefined) throw new TypeError(`model.${issue.path.join('.')}: ${issue.message}`);
}

function fieldsProblem(fields: unknown, isHeader: boolean, isValue: (value: unknown) => boolean): string | undefined {
  if (!isRecord(fields)) return 'expected an object of texts by their names';
  const all = Object.entries(fields);
  if (all.length > MAX_FIELDS) return `has ${all.length}; expected at most ${MAX_FIELDS}`;
  for (const [name, value] of all) {
    if (isHeader && OWN_HEADERS.includes(name.toLowerCase()))
      return `${name} is set by the request itself; take it out`;
    if (isHeader ? !HEADER_NAME.test(name) : name === '') return `${describeValue(name)} is no name`;
    const isText = typeof value === 'string';
    if (!isText && !isValue(value)) return `the value of ${name} does not fit; expected a text`;
    if (isText && (value.length > MAX_FIELD_CHARACTERS || !/^[\x20-\x7e]+$/.test(value)))
      return `the value of ${name} does not fit; expected 1 to ${MAX_FIELD_CHARACTERS} visible ASCII characters`;
  }
  return undefined;
}

function bodyProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return 'expected an object';
  const { length } = JSON.stringify(body);
  if (length > MAX_EXTRA_BYTES) return `has ${length} characters as JSON; expected at most ${MAX_EXTRA_BYTES}`;
  const own = Object.keys(body).filter((member) => Object.hasOwn(OWN_MEMBERS, member));
  const settings = own.flatMap((member) => OWN_MEMBERS[member] || []);
  if (own.length === 0) return undefined;
  const instead = settings.length === 0 ? 'take them out' : `set model.${settings.join(', model.')} in its place`;
  return `may not have ${listNames(own)}, which the request itself has: ${instead}`;
}

export function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

/** Prices per million tokens, in one currency for the whole project. `cachedInput` defaults to `input`. */
export interface Price {
  readonly input: number;
  readonly cachedInput?: number;
  readonly output: number;
}

/** Prices by the name of the model in requests or replies. */
export type Prices = Readonly<Record<string, Price>>;

/** The cost of tokens; undefined if there is no price, since an unknown cost is not zero. */
export function costOf(
  { inputTokens, cachedInputTokens, outputTokens }: Omit<ModelUsage, 'calls'>,
  price: Price | undefined,
): number | undefined {
  if (price === undefined) return undefined;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { input, cachedInput = input, output } = price;
  return ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / 1_000_000;
}

export function priceOf(prices: Prices = {}, ...names: readonly string[]): Price | undefined {
  const name = names.find((one) => Object.hasOwn(prices, one));
  return name === undefined ? undefined : prices[name];
}

/** Average characters per token in English text. Used in tests, and if a server reports no numbers. */
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the usage of a call: characters / 4, rounded up. */
export function estimateUsage({ messages }: ModelRequest, written: string): ModelUsage {
  const read = messages.reduce((sum, { content }) => sum + content.length, 0);
  const [inputTokens, outputTokens] = [read, written.length].map((length) => Math.ceil(length / CHARACTERS_PER_TOKEN));
  return { inputTokens: inputTokens!, cachedInputTokens: 0, outputTokens: outputTokens!, calls: 1, reckoned: true };
}
