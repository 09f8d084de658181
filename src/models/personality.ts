/** Which members of a request a server accepts, and by which names, as rejected requests have shown. */

import type { FormatSupport } from '../protocol/index.ts';
import type { ServerWords } from './server-failure.ts';

export type RequestBody = Readonly<Record<string, unknown>>;

/** Names for optional members in servers' errors. A part comes before the whole. */
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

export const TOKENS_NAMES = ['max_tokens', 'max_completion_tokens'] as const;
export type TokensName = (typeof TOKENS_NAMES)[number];

export interface Personality {
  readonly format: FormatSupport;
  readonly tokensName: TokensName;
  readonly omit: readonly Omittable[];
  /** Set if the token limit was already renamed. If a server rejects both names, the client must stop asking. */
  readonly isRenamed?: true;
}

export interface Lesson {
  readonly member: string;
  /** Applies the change to the current knowledge, so that changes by other calls stay. */
  readonly teach: (known: Personality) => Personality;
}

export function lessonLines(before: Personality, { omit, format, tokensName }: Personality): readonly string[] {
  return [
    ...(omit.length > before.omit.length ? [`omit: [${omit.map((one) => `'${one}'`).join(', ')}]`] : []),
    ...(format !== before.format ? [`format: '${format}'`] : []),
    ...(tokensName !== before.tokensName ? [`tokensName: '${tokensName}'`] : []),
  ];
}

const THE_REQUEST = /^(?:body\.)?(?:messages|input|model|tools)\b/;

/**
 * The change after a rejected request; undefined if the error names no optional member. Each change removes a member or
 * weakens the format, so there are only a few.
 * @param bodyOf the body of the request; a member whose change leaves the body equal was not sent
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
  /** In a path, the first matching row of `lessons` counts. In other texts, the member that occurs first counts. */
  const named = (text: string): Lesson | undefined => {
    const found = lessons.map((one) => ({ ...one, at: text.search(one.words) })).filter(({ at }) => at >= 0);
    return (/^[\w.[\]]+$/.test(text) ? found[0] : found.toSorted((a, b) => a.at - b.at)[0])?.lesson;
  };
  return named(param) ?? (THE_REQUEST.test(param) ? undefined : named(message));
}

/** The possible changes for a rejected member, the mildest first. A schema without `strict` is better than none. */
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
