/**
 * The costs and states that people see with a plan. The plan's digest does not cover these, so people sign their hash,
 * `shown`. Before an effect begins, a worker compares its own costs and states with the signed ones.
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

/** The costs and states of a plan as the text for the hash; undefined if it has none. */
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

/** By node, the texts whose hash was signed. */
export function figuresBehind(shown: string | undefined, texts: readonly string[]): Readonly<Record<string, unknown>> {
  const text = shown === undefined ? undefined : texts.find((one) => shownHash(one) === shown.toLowerCase());
  const read = text === undefined ? undefined : jsonIn(text);
  return isRecord(read) ? read : {};
}
