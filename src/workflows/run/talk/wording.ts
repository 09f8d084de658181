/** Decisions, answers and orders as the trace keeps them; yes and no as people write them. */

import type { Dialogue } from '../state.ts';
import type { Signed } from '../../approval/state.ts';
import type { Control, Decision, SaidControl, SaidDecision } from '../../../protocol/index.ts';
import type { Run } from '../in-memory.ts';

export function textOf({ kind, digest, by, comment }: Decision): string {
  return `${kind} ${digest.slice(0, 8)} by ${by}${comment === undefined ? '' : ` (${comment})`}`;
}

/**
 * A message as it is kept: without the plan of an edit and the value of a result, which are in the store, and with the
 * plan that it was said about, whole, however few digits were named.
 */
export function saidOf(message: Signed, dialogue: Dialogue): SaidDecision;
export function saidOf(message: Control & Verified, dialogue: Dialogue, ref: string | undefined): SaidControl;
export function saidOf(
  message: (Signed | Control) &
    Verified & { readonly plan?: unknown; readonly value?: unknown; readonly token?: unknown },
  { approval: { digest, revision } }: Dialogue,
  ref?: string,
): SaidDecision | SaidControl {
  const { plan: _, value: __, token: ___, ...said } = message;
  return { ...said, digest, revision, ...(ref !== undefined && { ref }) };
}

type Verified = Pick<SaidDecision, 'verified'>;

/** Beside a refusal: the digest that was named is that of the open plan, compiled without its external context. */
export function withoutContextNote({ execution }: Run, digest: string): string {
  const { digestWithoutContext = '', digest: open = '' } = execution?.slice ?? {};
  if (!digestWithoutContext.startsWith(digest) || open.startsWith(digest)) return '';
  return `. ${digestWithoutContext} is the digest of the same plan without its external context, and ${open} holds the values too: look at them in the question, and name that one`;
}

/**
 * Yes and no in a chat (Osprey: answer detection), with the words of our own buttons. Only these words count; whatever else is said, the question is asked again.
 * Silence and doubt are never a yes.
 */
export const YES_WORDS: readonly string[] = ['yes', 'y', 'yep', 'yeah', 'ok', 'okay', 'approve'];
export const NO_WORDS: readonly string[] = ['no', 'n', 'nope', 'nah', 'cancel', 'reject'];

/**
 * Reads a person's text as yes or no. `unclear` means: ask again. Case, surrounding space and closing punctuation do
 * not matter.
 * @example readYesNo(' Okay.'); // 'yes', and readYesNo('yes, but later') is 'unclear'
 */
export function readYesNo(text: string): 'yes' | 'no' | 'unclear' {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!?]+$/, '');
  if (YES_WORDS.includes(word)) return 'yes';
  return NO_WORDS.includes(word) ? 'no' : 'unclear';
}
