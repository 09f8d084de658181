/**
 * The personality of a server: the members of a request that it takes, and under which names. It begins as the settings
 * say, and learns from a refusal that names a member which was sent.
 */

import type { FormatSupport } from '../protocol/index.ts';
import type { ServerWords } from './server-words.ts';
import { withoutThoughts } from './thoughts.ts';

/** The body of a request, as JSON has it. */
export type Body = Readonly<Record<string, unknown>>;

/** The members that a request can do without; the rest is the request. */
export const OMITTABLE = [
  ...(['temperature', 'top_p', 'seed', 'stream_options', 'parallel_tool_calls', 'tool_choice'] as const),
  ...(['strict', 'reasoning_effort', 'include', 'thoughts'] as const),
] as const;
export type Omittable = (typeof OMITTABLE)[number];

/** The names of the bound on the tokens of a reply. The bound itself is never left out. */
export const TOKENS_NAMES = ['max_tokens', 'max_completion_tokens'] as const;
export type TokensName = (typeof TOKENS_NAMES)[number];

type Learnable = Omittable | 'response_format' | 'tokens';

export interface Personality {
  readonly format: FormatSupport;
  readonly tokensName: TokensName;
  readonly omit: readonly Omittable[];
  /** The bound has its other name already: a server that takes neither is not asked for ever. */
  readonly isRenamed?: true;
}

export interface Lesson {
  readonly personality: Personality;
  /** The member that was refused, as the server names it. */
  readonly member: string;
  /** The line of `model` in a config that makes it lasting. */
  readonly line: string;
}

/** The words by which servers name a member: its path in `param`, or its name in a sentence. */
const WORDS: Readonly<Record<Learnable, RegExp>> = {
  strict: /\bstrict\b/i,
  parallel_tool_calls: /\bparallel_tool_calls\b/i,
  tool_choice: /\btool[_ ]choice\b/i,
  response_format: /\bresponse_format\b|\bjson_(?:schema|object)\b|\btext\.format\b|\bstructured outputs?\b/i,
  reasoning_effort: /\breasoning[_.]effort\b/i,
  include: /^include\b|\breasoning\.encrypted_content\b|\bencrypted content\b/i,
  thoughts: /\breasoning_(?:content|details)\b|\bencrypted[_ ]content\b|\bthought_signature\b|\bextra_content\b/i,
  stream_options: /\bstream_options\b|\binclude_usage\b/i,
  temperature: /\btemperature\b/i,
  top_p: /\btop_p\b/i,
  seed: /\bseed\b/i,
  tokens: /\bmax_(?:completion_)?tokens\b/i,
};

/** A refusal of one of these is about the request itself, whatever else its sentence names. */
const THE_REQUEST = /^(?:body\.)?(?:messages|input|model|tools)\b/;

/** The body of a request as this server takes it. */
export function fit(whole: Body, { omit, tokensName }: Personality): Body {
  const { max_tokens: bound, ...rest } = whole;
  const body = bound === undefined ? rest : { ...rest, [tokensName]: bound };
  return omit.reduce(without, body);
}

/**
 * The lesson of a refusal; undefined where it names no member that was sent and can be spared. Each lesson takes a member
 * away, or a step of the format, and so there are few in a row.
 * @param sent the body that was refused
 */
export function learn(
  personality: Personality,
  sent: Body,
  { status, param, message }: ServerWords,
): Lesson | undefined {
  if (status !== 400 && status !== 422) return undefined;
  const member = named(sent, param ?? '') ?? (THE_REQUEST.test(param ?? '') ? undefined : named(sent, message));
  if (member === undefined) return undefined;
  if (member === 'tokens') return renamed(personality);
  if (member !== 'response_format') return omitted(personality, member, member);
  // The mildest step first: a schema that binds loosely is worth more than none.
  if (isBound(formatIn(sent) ?? {})) return omitted(personality, 'strict', 'response_format with strict');
  const format = personality.format === 'json_schema' ? 'json_object' : 'none';
  return {
    personality: { ...personality, format },
    member: `response_format ${personality.format}`,
    line: `format: '${format}'`,
  };
}

/** All that two calls at once have learnt of a server. */
export function bothOf(one: Personality, other: Personality): Personality {
  const { tokensName, isRenamed } = other.isRenamed ? other : one;
  return {
    format: FORMATS.indexOf(one.format) > FORMATS.indexOf(other.format) ? one.format : other.format,
    tokensName,
    omit: [...new Set([...one.omit, ...other.omit])],
    ...(isRenamed && { isRenamed }),
  };
}

const FORMATS: readonly FormatSupport[] = ['json_schema', 'json_object', 'none'];

function omitted(personality: Personality, left: Omittable, member: string): Lesson {
  const omit = [...new Set([...personality.omit, left])];
  return { personality: { ...personality, omit }, member, line: `omit: [${omit.map((one) => `'${one}'`).join(', ')}]` };
}

function renamed(personality: Personality): Lesson | undefined {
  if (personality.isRenamed) return undefined;
  const tokensName = TOKENS_NAMES.find((name) => name !== personality.tokensName)!;
  const line = `tokensName: '${tokensName}'`;
  return { personality: { ...personality, tokensName, isRenamed: true }, member: personality.tokensName, line };
}

/** The member that the text names first, of those that were sent. */
function named(sent: Body, text: string): Learnable | undefined {
  const places = (Object.keys(WORDS) as Learnable[])
    .filter((member) => isIn(sent, member))
    .map((member) => ({ member, at: text.search(WORDS[member]) }))
    .filter(({ at }) => at >= 0);
  // A path names the whole before its part: `response_format.json_schema.strict`.
  if (/^[\w.[\]]+$/.test(text)) return places[0]?.member;
  return places.toSorted((a, b) => a.at - b.at)[0]?.member;
}

function isIn(body: Body, member: Learnable): boolean {
  if (member === 'tokens') return TOKENS_NAMES.some((name) => name in body);
  if (member === 'response_format') return formatIn(body) !== undefined;
  return without(body, member) !== body;
}

/** The same body where the member is not in it. */
function without(body: Body, member: Omittable): Body {
  if (member === 'strict') return hasStrict(body) ? withoutStrict(body) : body;
  if (member === 'thoughts') return withoutThoughts(body);
  const name = member === 'reasoning_effort' && !(member in body) ? 'reasoning' : member;
  if (!(name in body)) return body;
  const { [name]: _, ...rest } = body;
  return rest;
}

/** A format or a tool; chat completions have the member one level deeper. */
interface Bound {
  readonly strict?: boolean;
  readonly json_schema?: Bound;
  readonly function?: Bound;
}

function formatIn({ response_format: chat, text }: Body): Bound | undefined {
  return (chat as Bound | undefined) ?? (text as { format?: Bound } | undefined)?.format;
}

function toolsIn({ tools = [] }: Body): readonly Bound[] {
  return tools as readonly Bound[];
}

function hasStrict(body: Body): boolean {
  return [...toolsIn(body), formatIn(body) ?? {}].some(isBound);
}

function isBound(one: Bound): boolean {
  return [one, one.json_schema, one.function].some((part) => part?.strict !== undefined);
}

function withoutStrict(body: Body): Body {
  const { response_format: chat, text, tools } = body;
  return {
    ...body,
    ...(chat !== undefined && { response_format: loose(chat as Bound) }),
    ...(text !== undefined && { text: { ...text, format: loose(formatIn({ text }) ?? {}) } }),
    ...(tools !== undefined && { tools: toolsIn(body).map(loose) }),
  };
}

/** The same without the member, one level deeper too; a schema may have a property of that name, and keeps it. */
function loose(bound: Bound): Bound {
  const { strict: _, ...one } = bound;
  const { json_schema: schema, function: tool } = one;
  return {
    ...one,
    ...(schema !== undefined && { json_schema: loose(schema) }),
    ...(tool !== undefined && { function: loose(tool) }),
  };
}
