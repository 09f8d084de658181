/**
 * Thoughts of a model, as servers give them and want them back with the message that they belong to. Responses: items,
 * sealed. Chat completions have no one form: `reasoning_content` (DeepSeek, Qwen, vLLM), `reasoning` (Groq, Ollama, vLLM),
 * `reasoning_details` (OpenRouter, MiniMax) on the message, and `extra_content` on its calls (Gemini, which refuses a call
 * without it). Each is given back under the name by which it came.
 */

import { z } from 'zod';
import { isDeeperThan, isRecord } from '../protocol/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import type { JsonValue } from '../plan/index.ts';
import type { ModelMessage } from './model-client.ts';

/** Characters of thoughts in plain text: more is cut. */
export const MAX_PLAIN = 64_000;
/** Of all that has a form; more is passed over, since a part of it would be none. */
export const MAX_FORMED = 128_000;
const LEVELS = 32;

const PLAIN = ['reasoning_content', 'reasoning'] as const;
const plain = z.string().nullish().catch(null);
const formed = z
  .record(z.string(), z.unknown())
  .refine((value) => !isDeeperThan(LEVELS, value))
  .nullish()
  .catch(null);

/** The members of a message, or of what is new of it. One that does not fit is passed over: it is no part of the reply. */
export const SAID_THOUGHTS = {
  reasoning_content: plain,
  reasoning: plain,
  reasoning_details: z.array(formed).nullish().catch(null),
};
/** The member of a call. */
export const CALLED_THOUGHTS = { extra_content: formed };

type Said = { readonly [Member in keyof typeof SAID_THOUGHTS]?: z.output<(typeof SAID_THOUGHTS)[Member]> };
type Formed = Readonly<Record<string, unknown>>;

/** Collects the thoughts of one reply of chat completions. */
export function chatThoughts() {
  const texts = new Map<string, string>();
  const details = new Map<string, Formed>();
  const ofCalls = new Map<number, Formed | undefined>();
  let characters = 0;
  const fits = (value: Formed) => (characters += JSON.stringify(value).length) <= MAX_FORMED;
  return {
    said(said: Said): void {
      for (const member of PLAIN) {
        const text = said[member] ?? '';
        const before = texts.get(member) ?? '';
        if (text !== '' && before.length <= MAX_PLAIN) texts.set(member, before + text);
      }
      for (const [at, piece] of (said.reasoning_details ?? []).entries()) {
        if (piece == null || !fits(piece)) continue;
        const key = JSON.stringify([piece['type'], piece['index'] ?? at]);
        details.set(key, joined(details.get(key), piece));
      }
    },
    called(place: number, extra: Formed | null | undefined): void {
      const isNew = extra != null && fits(extra);
      ofCalls.set(place, isNew ? extra : ofCalls.get(place));
    },
    /** One item with all of them, or none. */
    items(): readonly JsonValue[] {
      const isWhole = characters <= MAX_FORMED;
      // The plain ones repeat what stands in the details.
      const message: Formed =
        details.size > 0
          ? isWhole
            ? { reasoning_details: [...details.values()] }
            : {}
          : Object.fromEntries([...texts].map(([member, text]) => [member, cutCharacters(text, MAX_PLAIN)]));
      const inOrder = [...ofCalls].toSorted(([a], [b]) => a - b).map(([, extra]) => extra);
      const own = inOrder.flatMap((extra, at) => (extra === undefined ? [] : [[at, extra] as const]));
      const calls = isWhole ? Object.fromEntries(own) : {};
      if (Object.keys(message).length + Object.keys(calls).length === 0) return [];
      return [{ type: 'reasoning', message, calls } as JsonValue];
    },
  };
}

/** The same detail, of which a piece has come: its texts go on, and what else a piece has stands. */
function joined(before: Formed = {}, piece: Formed): Formed {
  const members = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  return {
    ...before,
    ...Object.fromEntries(
      members.map(([name, value]) => {
        const text = before[name];
        const goes = TEXTS.includes(name) && typeof text === 'string' && typeof value === 'string';
        return [name, goes ? text + value : value];
      }),
    ),
  };
}

const TEXTS: readonly string[] = ['text', 'summary', 'data'];

/** The members to give back with a message of chat completions, and with its calls by their places. */
export function givenBack({ reasoning = [] }: Pick<ModelMessage, 'reasoning'>): {
  readonly message: Formed;
  readonly calls: Readonly<Record<string, Formed>>;
} {
  for (const item of reasoning) {
    if (!isRecord(item) || !isRecord(item['message']) || !isRecord(item['calls'])) continue;
    const members = Object.entries(item['message']).filter(([name]) => Object.hasOwn(SAID_THOUGHTS, name));
    return { message: Object.fromEntries(members), calls: item['calls'] as Readonly<Record<string, Formed>> };
  }
  return { message: {}, calls: {} };
}

/** A thought of the Responses API. Without its seal it is a name at the server, which keeps none of them. */
export function isSealed(item: JsonValue): item is { readonly encrypted_content: string } {
  return isRecord(item) && typeof item['encrypted_content'] === 'string';
}

/** The same body where no thought is given back in it; a new one otherwise. */
export function withoutThoughts(body: Formed): Formed {
  const { messages, input } = body;
  const list = (messages ?? input) as readonly Formed[] | undefined;
  if (list === undefined || !list.some(hasThoughts)) return body;
  const without = list.filter(({ type }) => type !== 'reasoning').map(bare);
  return messages === undefined ? { ...body, input: without } : { ...body, messages: without };
}

function hasThoughts(message: Formed): boolean {
  const names = [...Object.keys(SAID_THOUGHTS), 'extra_content'];
  return (
    message['type'] === 'reasoning' || [message, ...callsIn(message)].some((one) => names.some((name) => name in one))
  );
}

function bare(message: Formed): Formed {
  const { reasoning_content: _, reasoning: __, reasoning_details: ___, ...rest } = message;
  const calls = callsIn(message).map(({ extra_content: ____, ...call }) => call);
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
}

function callsIn({ tool_calls: calls }: Formed): readonly Formed[] {
  return Array.isArray(calls) ? (calls as readonly Formed[]) : [];
}
