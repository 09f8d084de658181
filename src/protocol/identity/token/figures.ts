/**
 * The costs and states that people see beside the digest of a plan, which has none of them. Their hash, `shown`, is part
 * of what is signed, so that a worker can tell whether the effect that it is about to begin is the one that was shown.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { isRecord } from '../../payload.ts';
import { UNSEEN_STATE, type PlanShape } from '../../plan-shape.ts';
import { jsonIn } from '../../../plan/text/index.ts';

type Figured = Pick<PlanShape, 'executors' | 'executorOf' | 'previews'>;

/** The cost and the state of one node; undefined if it has neither. */
export function figureOf(cost = 0, state = UNSEEN_STATE): string | undefined {
  return cost === 0 && state === UNSEEN_STATE ? undefined : `${cost} ${state}`;
}

/** All of a plan, as the text that is hashed; undefined if it has none. */
export function figuresOf({ executors, executorOf, previews = {} }: Figured): string | undefined {
  const all: Record<number, string> = {};
  for (const [node, place] of executorOf.entries()) {
    const figure = figureOf(executors[place]?.cost, previews[node]?.state);
    if (figure !== undefined) all[node] = figure;
  }
  const text = JSON.stringify(all);
  return text === '{}' ? undefined : text;
}

export function shownHash(figures = ''): string {
  return bytesToHex(sha256(utf8ToBytes(figures)));
}

/** The figures among these texts whose hash was signed, by node. */
export function figuresBehind(shown: string | undefined, texts: readonly string[]): Readonly<Record<string, unknown>> {
  const text = shown === undefined ? undefined : texts.find((one) => shownHash(one) === shown.toLowerCase());
  const read = text === undefined ? undefined : jsonIn(text);
  return isRecord(read) ? read : {};
}
