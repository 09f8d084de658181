/**
 * The members of a request that a server accepts, and their names. It starts from the settings, and learns from a
 * refusal that names a member of the request.
 */

import type { FormatSupport } from '../protocol/index.ts';
import type { ServerWords } from './server-failure.ts';

export type RequestBody = Readonly<Record<string, unknown>>;

/** How servers name optional members in their errors. A part comes before the member that contains it. */
const WORDS = {
  temperature: /\btemperature\b/i,
  top_p: /\btop_p\b/i,
  seed: /\bseed\b/i,
  stream_options: /\bstream_options\b|\binclude_usage\b/i,
  parallel_tool_calls: /\bparallel_tool_calls\b/i,
  tool_choice: /\btool[_ ]choice\b/i,
  strict: /\bstrict\b/i,
  response_format: /\bresponse_format\b|\bjson_(?:schema|object)\b|\btext\.format\b|\bstructured outputs?\b/i,
  reasoning_effort: /\breasoning[_.]effort\b/i,
  include: /^include\b|\breasoning\.encrypted_content\b|\bencrypted content\b/i,
  thoughts: /\breasoning_(?:content|details)\b|\bencrypted[_ ]content\b|\bthought_signature\b|\bextra_content\b/i,
  tokens: /\bmax_(?:completion_)?tokens\b/i,
} as const;
type Learnable = keyof typeof WORDS;
export type Omittable = Exclude<Learnable, 'response_format' | 'tokens'>;

export const OMITTABLE = (Object.keys(WORDS) as Learnable[]).filter(
  (member): member is Omittable => member !== 'response_format' && member !== 'tokens',
);

/** The names of the token limit. The limit itself is never left out. */
export const TOKENS_NAMES = ['max_tokens', 'max_completion_tokens'] as const;
export type TokensName = (typeof TOKENS_NAMES)[number];

export interface Personality {
  readonly format: FormatSupport;
  readonly tokensName: TokensName;
  readonly omit: readonly Omittable[];
  /** The second name was tried already: a server that rejects both must not be asked forever. */
  readonly isRenamed?: true;
}

export interface Lesson {
  /** The refused member, by the server's name. */
  readonly member: string;
  /** The change. Another call may have learnt more meanwhile, which stays. */
  readonly teach: (known: Personality) => Personality;
}

/** The lines for `model` in a config that make what was learnt permanent. */
export function linesOf(before: Personality, { omit, format, tokensName }: Personality): readonly string[] {
  return [
    ...(omit.length > before.omit.length ? [`omit: [${omit.map((one) => `'${one}'`).join(', ')}]`] : []),
    ...(format !== before.format ? [`format: '${format}'`] : []),
    ...(tokensName !== before.tokensName ? [`tokensName: '${tokensName}'`] : []),
  ];
}

/** If the error names one of these, it concerns the request itself, whatever else it mentions. */
const THE_REQUEST = /^(?:body\.)?(?:messages|input|model|tools)\b/;

/**
 * What a refusal teaches; undefined if it names no optional member of the request. Each lesson removes a member or
 * weakens the format, so there are few in a row.
 * @param bodyOf the body for a personality: a member whose lesson changes nothing was not sent
 */
export function lessonFrom(
  known: Personality,
  bodyOf: (personality: Personality) => RequestBody,
  { status, param = '', message }: ServerWords,
): Lesson | undefined {
  if (status !== 400 && status !== 422) return undefined;
  const sent = JSON.stringify(bodyOf(known));
  const changes = (lesson: Lesson) => JSON.stringify(bodyOf(lesson.teach(known))) !== sent;
  const lessons = (Object.keys(WORDS) as Learnable[]).flatMap((member) => {
    const lesson = lessonsOf(known, member).find(changes);
    return lesson === undefined ? [] : [{ lesson, words: WORDS[member] }];
  });
  /** A path names the whole before its part: `response_format.json_schema.strict`. */
  const named = (text: string): Lesson | undefined => {
    const found = lessons.map((one) => ({ ...one, at: text.search(one.words) })).filter(({ at }) => at >= 0);
    return (/^[\w.[\]]+$/.test(text) ? found[0] : found.toSorted((a, b) => a.at - b.at)[0])?.lesson;
  };
  return named(param) ?? (THE_REQUEST.test(param) ? undefined : named(message));
}

/** The lessons of a member, the mildest first: a loosely binding schema is better than none. */
function lessonsOf({ format, tokensName, isRenamed }: Personality, member: Learnable): readonly Lesson[] {
  const without = (left: Omittable, name: string = left): Lesson => ({
    member: name,
    teach: (known) => ({ ...known, omit: [...new Set([...known.omit, left])] }),
  });
  if (member === 'tokens') {
    const other = TOKENS_NAMES.find((name) => name !== tokensName)!;
    const rename = (known: Personality) => ({ ...known, tokensName: other, isRenamed: true as const });
    return isRenamed ? [] : [{ member: tokensName, teach: rename }];
  }
  if (member !== 'response_format') return [without(member)];
  const weaker = format === 'json_schema' ? 'json_object' : 'none';
  const weaken = (known: Personality) => ({ ...known, format: known.format === 'none' ? 'none' : weaker }) as const;
  return [without('strict', 'response_format with strict'), { member: `response_format ${format}`, teach: weaken }];
}
