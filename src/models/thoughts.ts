/**
 * Thoughts of a model, which servers want back with their message. Responses: sealed items. Chat completions have no
 * common form: `reasoning_content` (DeepSeek, Qwen, vLLM), `reasoning` (Groq, Ollama, vLLM), `reasoning_details`
 * (OpenRouter, MiniMax) on the message, and `extra_content` on its calls (Gemini, which refuses a call without it).
 * Each goes back under its own name. Thoughts that do not fit are ignored: they are no part of the reply.
 */

import { isDeeperThan, isRecord } from '../protocol/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import type { JsonValue } from '../plan/index.ts';

/** Characters of plain text; more is cut. */
const MAX_PLAIN = 64_000;
/** Characters of structured thoughts; more is ignored, since a part would be invalid. */
const MAX_FORMED = 128_000;
const LEVELS = 32;
const PLAIN = ['reasoning_content', 'reasoning'];
/** The members of a detail that continue from piece to piece; the others stay. */
const TEXTS = ['text', 'summary', 'data'];

type Formed = Readonly<Record<string, unknown>>;

/** Collects the thoughts of one reply of chat completions. */
export function chatThoughts() {
  const texts: Record<string, string> = {};
  const details = new Map<string, Record<string, unknown>>();
  let characters = 0;
  /** Whether it has a form that can be sent back. The total is limited at the end. */
  const fits = (value: unknown): value is Formed =>
    isRecord(value) && !isDeeperThan(LEVELS, value) && (characters += JSON.stringify(value).length) <= MAX_FORMED;
  return {
    fits,
    said(said: Formed): void {
      for (const member of PLAIN) {
        const text = said[member];
        if (typeof text === 'string' && text) texts[member] = cutCharacters((texts[member] ?? '') + text, MAX_PLAIN);
      }
      const pieces: readonly unknown[] = Array.isArray(said['reasoning_details']) ? said['reasoning_details'] : [];
      for (const [at, piece] of pieces.entries()) {
        if (!fits(piece)) continue;
        const key = JSON.stringify([piece['type'], piece['index'] ?? at]);
        const whole = details.get(key) ?? {};
        details.set(key, whole);
        for (const [name, value] of Object.entries(piece)) {
          const before = whole[name];
          const goesOn = TEXTS.includes(name) && typeof before === 'string' && typeof value === 'string';
          if (value != null) whole[name] = goesOn ? before + value : value;
        }
      }
    },
    text: () => texts['reasoning_content'] ?? texts['reasoning'] ?? '',
    /** One item with all of them, or none. @param extras of the calls, in order */
    items(extras: readonly unknown[]): readonly JsonValue[] {
      const isWhole = characters <= MAX_FORMED;
      // The plain ones repeat the details.
      const message = details.size === 0 ? texts : isWhole ? { reasoning_details: [...details.values()] } : {};
      const own = [...extras.entries()].filter(([, extra]) => isWhole && extra !== undefined);
      const item = { type: 'reasoning', message, calls: Object.fromEntries(own) };
      return Object.keys(message).length + own.length === 0 ? [] : [item as JsonValue];
    },
  };
}

/** The members to send back with a message of chat completions, and with its calls by index. */
export function toReturn(reasoning: readonly JsonValue[]): { readonly message: Formed; readonly calls: Formed } {
  const item = reasoning.find((one) => isRecord(one) && isRecord(one['message']) && isRecord(one['calls']));
  const { message = {}, calls = {} } = (item ?? {}) as { message?: Formed; calls?: Formed };
  const members = Object.entries(message).filter(([name]) => [...PLAIN, 'reasoning_details'].includes(name));
  return { message: Object.fromEntries(members), calls };
}

/** Without its seal a thought of the Responses API is a name at the server, which keeps none of them. */
export function isSealedThought(item: JsonValue): boolean {
  return isRecord(item) && typeof item['encrypted_content'] === 'string';
}
