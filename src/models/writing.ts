/** The text that a model has written so far, put together of the pieces of its stream. */

import type { z } from 'zod';
import { letIn, MAX_CALLS } from './pieces.ts';
import type { ModelError, ModelErrorKind } from './model-error.ts';
import type { JsonValue } from '../plan/index.ts';
import type { ToolCall } from './model-client.ts';
import type { Ears, Written } from './written.ts';

export interface Writing {
  /** Hears a piece, and gives back the part of it that the schema knows. */
  piece<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema>;
  text(delta: string): void;
  refusal(delta: string): void;
  /** A part of the call that has this place in the reply. */
  call(place: number, part: Partial<ToolCall>): void;
  /** A sealed thought. */
  thought(item: JsonValue): void;
  /** Something that a server of this protocol does not do, and that was read all the same. */
  odd(what: string): void;
  /** Takes facts that the server tells of it. */
  note(told: Partial<Pick<Written, 'model' | 'finish' | 'tokens'>>): void;
  /** All that was written. Calls are in the order of their places, and each has an id. */
  written(): Written;
}

export interface WritingBounds {
  /** Bytes of all that is kept. */
  readonly most: number;
  /** Makes the error of a reply that may not go on. */
  readonly refuse: (kind: Extract<ModelErrorKind, 'malformed-reply' | 'cut-off'>, what: string) => ModelError;
}

/** @throws ModelError where a piece does not fit, or the reply grows too large; nothing of the piece is kept then */
export function startWriting(ears: Ears, { most, refuse }: WritingBounds): Writing {
  const calls = new Map<number, ToolCall>();
  const reasoning: JsonValue[] = [];
  let [text, refusal, bytes] = ['', '', 0];
  let told: Pick<Written, 'model' | 'finish' | 'tokens'> = { model: '', finish: undefined, tokens: undefined };
  const kept = (delta: string): string => {
    bytes += Buffer.byteLength(delta);
    if (bytes > most) throw refuse('cut-off', `was cut off at replyBytes (${most}), before its reply was whole`);
    return delta;
  };
  return {
    piece(schema, given) {
      ears.beat();
      return letIn(schema, given, (problem) =>
        refuse('malformed-reply', `sent what is no part of a reply: ${problem}`),
      );
    },
    text(delta) {
      if (delta === '') return;
      text += kept(delta);
      ears.text(delta);
    },
    refusal: (delta) => void (refusal += kept(delta)),
    call(place, { id = '', name = '', arguments: written = '' }) {
      if (place >= MAX_CALLS) throw refuse('malformed-reply', `wrote more than ${MAX_CALLS} calls`);
      kept(id + name + written);
      const before = calls.get(place) ?? { id: '', name: '', arguments: '' };
      calls.set(place, {
        id: before.id || id,
        // Some servers write the whole name in each piece.
        name: before.name === name ? name : before.name + name,
        arguments: before.arguments + written,
      });
    },
    thought(item) {
      if (reasoning.length >= MAX_CALLS) throw refuse('malformed-reply', `wrote more than ${MAX_CALLS} thoughts`);
      kept(JSON.stringify(item));
      reasoning.push(item);
    },
    odd: (what) => ears.odd(what),
    note: (more) => void (told = { ...told, ...more }),
    written() {
      const inOrder = [...calls].toSorted(([a], [b]) => a - b).map(([, call]) => call);
      const toolCalls = inOrder.map((call, at) => ({ ...call, id: call.id || `call_${at + 1}` }));
      return { text, refusal, toolCalls, reasoning, ...told };
    },
  };
}
