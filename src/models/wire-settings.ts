/** The settings of a server beyond its protocol: headers, query, members of the body, and its personality. */

import { isRecord, type FormatSupport, type ModelApi } from '../protocol/index.ts';
import { describeValue, listNames } from '../plan/text/index.ts';
import type { JsonValue } from '../plan/index.ts';
import { OMITTABLE, TOKENS_NAMES, type Omittable, type Personality, type TokensName } from './personality.ts';

/** A text, or one that stands in no error and no reply. */
export type WireValue = string | { readonly secret: string };

/** The settings of a server that speaks the protocol in its own way. */
export interface WireSettings {
  /** Headers of each request, at most 32: Azure's `api-key`, a tenant of a proxy. */
  readonly headers?: { readonly [name: string]: WireValue };
  /** The query of the address, at most 32: Azure's `api-version`. */
  readonly query?: { readonly [name: string]: WireValue };
  /** Members of the body that nothing else here sets, such as `top_p` and `seed`; at most 64 KiB as JSON. */
  readonly extraBody?: { readonly [member: string]: JsonValue };
  /** The name of the bound on tokens. Default `max_completion_tokens` for OpenAI's own server, `max_tokens` elsewhere. */
  readonly tokensName?: TokensName;
  /** Members that this server does not take: they are not sent. Default: what it refuses is learnt. */
  readonly omit?: readonly Omittable[];
}

/** A server with these settings, as far as its requests go. */
interface Wired extends WireSettings {
  readonly baseURL?: string;
  readonly apiKey?: string;
  readonly api: ModelApi;
  readonly format: FormatSupport;
}

const OPENAI_URL = 'https://api.openai.com/v1';

/** The address as it is asked, and as it is shown, which is without the query. */
export function addressOf({ baseURL = OPENAI_URL, api, query = {} }: Wired) {
  const url = new URL(`${baseURL.replace(/\/+$/, '')}/${api === 'chat' ? 'chat/completions' : 'responses'}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, textOf(value));
  return { url, shown: baseURL };
}

export function headersOf({ apiKey, headers = {} }: Wired): Headers {
  const all = new Headers({ 'content-type': 'application/json', accept: 'text/event-stream, application/json' });
  if (apiKey !== undefined) all.set('authorization', `Bearer ${apiKey}`);
  for (const [name, value] of Object.entries(headers)) all.set(name, textOf(value));
  return all;
}

/** The texts that no error and no reply may have. */
export function secretsOf({ apiKey, headers = {}, query = {} }: Wired): readonly (string | undefined)[] {
  const named = [...Object.entries(headers), ...Object.entries(query)];
  const secrets = named.filter(([name, value]) => typeof value !== 'string' || SECRET_NAME.test(name));
  // A server may show the word behind `Bearer` alone.
  return [apiKey, ...secrets.flatMap(([, value]) => [textOf(value), textOf(value).split(' ').at(-1)])];
}

/** The personality before anything was learnt. */
export function personalityOf({ baseURL, format, tokensName, omit = [] }: Wired): Personality {
  return { format, omit, tokensName: tokensName ?? (baseURL === undefined ? 'max_completion_tokens' : 'max_tokens') };
}

function textOf(value: WireValue): string {
  return typeof value === 'string' ? value : value.secret;
}

/** A name whose value is a secret. */
export const SECRET_NAME =
  /key|secret|password|authorization|credential|bearer|cookie|^(?:access|auth|api)?[-_]?token$/i;
/** Members of the body that the request itself has, each with the setting for it where there is one. */
const OWN_MEMBERS: Readonly<Record<string, string>> = {
  ...{ model: 'name', messages: '', input: '', tools: '', stream: '', stream_options: '', store: '', n: '' },
  ...{ response_format: 'format', text: 'format', max_tokens: 'maxTokens', max_completion_tokens: 'maxTokens' },
  ...{ max_output_tokens: 'maxTokens', temperature: 'temperature', reasoning_effort: 'reasoningEffort' },
  ...{ reasoning: 'reasoningEffort', tool_choice: '', parallel_tool_calls: '', include: '', functions: '' },
};
const OWN_HEADERS = ['accept', 'connection', 'content-length', 'content-type', 'host', 'transfer-encoding'];
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
/** Headers, and parts of a query. */
const MAX_FIELDS = 32;
const MAX_FIELD_CHARACTERS = 8192;
const MAX_EXTRA_BYTES = 64 * 1024;

/**
 * The first of these settings that does not fit, with its name; undefined where all fit. No value of a header or a query
 * is shown: it may be a secret.
 * @param isValue whether a value is given as its place has it, beside a text
 * @example wireProblem({ query: [] }, () => false); // ['query', 'expected an object of texts by their names']
 */
export function wireProblem(
  { headers, query, extraBody, tokensName, omit }: { readonly [Name in keyof WireSettings]?: unknown },
  isValue: (value: unknown) => boolean,
): readonly [setting: string, problem: string] | undefined {
  for (const [setting, fields] of Object.entries({ headers, query })) {
    const problem = fields === undefined ? undefined : fieldsProblem(fields, setting === 'headers', isValue);
    if (problem !== undefined) return [setting, problem];
  }
  if (extraBody !== undefined) {
    const problem = bodyProblem(extraBody);
    if (problem !== undefined) return ['extraBody', problem];
  }
  if (tokensName !== undefined && !TOKENS_NAMES.some((name) => name === tokensName)) {
    return ['tokensName', `expected ${TOKENS_NAMES.join(' or ')}, not ${describeValue(tokensName)}`];
  }
  if (omit === undefined || (Array.isArray(omit) && omit.every((one) => OMITTABLE.some((name) => name === one))))
    return undefined;
  return ['omit', `expected a list of these: ${OMITTABLE.join(', ')}`];
}

function fieldsProblem(fields: unknown, isHeader: boolean, isValue: (value: unknown) => boolean): string | undefined {
  if (!isRecord(fields)) return 'expected an object of texts by their names';
  const all = Object.entries(fields);
  if (all.length > MAX_FIELDS) return `has ${all.length}; expected at most ${MAX_FIELDS}`;
  for (const [name, value] of all) {
    if (isHeader && OWN_HEADERS.includes(name.toLowerCase()))
      return `${name} is set by the request itself; take it out`;
    if (isHeader ? !HEADER_NAME.test(name) : name === '') return `${describeValue(name)} is no name`;
    if (typeof value !== 'string') {
      if (!isValue(value)) return `the value of ${name} does not fit; expected a text`;
    } else if (value.length > MAX_FIELD_CHARACTERS || !/^[\x20-\x7e]+$/.test(value)) {
      return `the value of ${name} does not fit; expected 1 to ${MAX_FIELD_CHARACTERS} visible ASCII characters`;
    }
  }
  return undefined;
}

function bodyProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return 'expected an object';
  let json: string;
  try {
    json = JSON.stringify(body);
  } catch {
    return 'expected what JSON can hold';
  }
  if (json.length > MAX_EXTRA_BYTES)
    return `has ${json.length} characters as JSON; expected at most ${MAX_EXTRA_BYTES}`;
  const own = Object.keys(body).filter((member) => Object.hasOwn(OWN_MEMBERS, member));
  const settings = own.flatMap((member) => OWN_MEMBERS[member] || []);
  if (own.length === 0) return undefined;
  const instead = settings.length === 0 ? 'take them out' : `set model.${settings.join(', model.')} in its place`;
  return `may not have ${listNames(own)}, which the request itself has: ${instead}`;
}
