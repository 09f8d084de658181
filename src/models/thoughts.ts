/**
 * The reasoning of a model, which servers want back with its message. The Responses API has encrypted items. Chat
 * completions have `reasoning_content` (DeepSeek, Qwen, vLLM), `reasoning` (Groq, Ollama, vLLM) or `reasoning_details`
 * (OpenRouter, MiniMax) on the message, and `extra_content` on its calls (Gemini, which rejects a call without it).
 * Reasoning goes back under the same name. Reasoning that is too large or malformed is ignored.
 */

import { isDeeperThan, isRecord } from '../protocol/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import type { JsonValue } from '../plan/index.ts';

/** The limit on the characters of reasoning that is plain text; longer text is cut. */
const MAX_PLAIN = 64_000;
/** The limit on the characters of structured reasoning. A longer value is ignored, since a part would be invalid. */
const MAX_FORMED = 128_000;
const LEVELS = 32;
const PLAIN = ['reasoning_content', 'reasoning'];
const TEXTS = ['text', 'summary', 'data'];

type Formed = Readonly<Record<string, unknown>>;

export function chatThoughts() {
  const texts: Record<string, string> = {};
  const details = new Map<string, Record<string, unknown>>();
  let characters = 0;
  /** Whether a value can be sent back as reasoning. `items` limits the sum of characters. */
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
    /** @param extras the extra content of the calls, in order */
    items(extras: readonly unknown[]): readonly JsonValue[] {
      const isWhole = characters <= MAX_FORMED;
      const message = details.size === 0 ? texts : isWhole ? { reasoning_details: [...details.values()] } : {};
      const own = [...extras.entries()].filter(([, extra]) => isWhole && extra !== undefined);
      const item = { type: 'reasoning', message, calls: Object.fromEntries(own) };
      return Object.keys(message).length + own.length === 0 ? [] : [item as JsonValue];
    },
  };
}

export function toReturn(reasoning: readonly JsonValue[]): { readonly message: Formed; readonly calls: Formed } {
  const item = reasoning.find((one) => isRecord(one) && isRecord(one['message']) && isRecord(one['calls']));
  const { message = {}, calls = {} } = (item ?? {}) as { message?: Formed; calls?: Formed };
  const members = Object.entries(message).filter(([name]) => [...PLAIN, 'reasoning_details'].includes(name));
  return { message: Object.fromEntries(members), calls };
}

/** Whether an item of reasoning is encrypted. Others are only names at the server, which stores nothing. */
export function isSealedThought(item: JsonValue): boolean {
  return isRecord(item) && typeof item['encrypted_content'] === 'string';
}
