/** The proof that the model ledger gives about replies that cost money. Pure, so that a test can hand it one that proves the contrary. */

import type { Usage } from 'planwright/client';
import type { ModelEntry } from './model-ledger.ts';

/** The moment at which a worker was killed. */
export interface CallKill {
  readonly pid: number;
  /** Replies that were kept and that nobody had heard of. */
  readonly unheard: number;
}

export interface CallProof {
  /** Calls of the model, and how many different requests they were. */
  readonly asked: number;
  readonly distinct: number;
  /** Calls that the killed worker had made and that nobody had answered: only these may be made again. */
  readonly unanswered: number;
  readonly usage: Usage;
  /** Sentences; empty when nothing was bought twice. */
  readonly faults: readonly string[];
}

export function proofOfCalls(ledger: readonly ModelEntry[], kill?: Pick<CallKill, 'pid'>): CallProof {
  const calls = ledger.flatMap((entry) => (entry.what === 'asked' ? [entry] : []));
  const ends = new Map(
    ledger.flatMap((entry) => (entry.what === 'answered' || entry.what === 'failed' ? [[entry.call, entry]] : [])),
  );
  const answered = new Set<string>();
  const faults: string[] = [];
  for (const { call, request, by, wants, turn, at } of calls) {
    if (answered.has(request))
      faults.push(`${by} was asked for a ${wants} (turn ${turn}) again at ${at}, though it had answered that.`);
    if (ends.get(call)?.what === 'answered') answered.add(request);
  }
  const usage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  for (const end of ends.values()) {
    if (end.usage === undefined) continue;
    usage.calls += 1;
    usage.inputTokens += end.usage.inputTokens;
    usage.cachedInputTokens += end.usage.cachedInputTokens;
    usage.outputTokens += end.usage.outputTokens;
  }
  return {
    asked: calls.length,
    distinct: new Set(calls.map(({ request }) => request)).size,
    unanswered: calls.filter(({ call, pid }) => pid === kill?.pid && !ends.has(call)).length,
    usage,
    faults,
  };
}

/** Names of replies that are kept and not handed on; undefined while one is under way or not kept yet, which a kill would lose. */
export function heldReplies(ledger: readonly ModelEntry[]): readonly string[] | undefined {
  const open = new Set<string>();
  const held = new Set<string>();
  let unkept = 0;
  for (const entry of ledger) {
    if (entry.what === 'asked') open.add(entry.call);
    else if (entry.what === 'failed') open.delete(entry.call);
    else if (entry.what === 'answered') {
      open.delete(entry.call);
      unkept += 1;
    } else if (entry.what === 'journaled') {
      held.add(entry.name);
      unkept -= 1;
    }
    if (entry.what === 'handed-on') held.delete(entry.name);
  }
  return open.size === 0 && unkept <= 0 ? [...held] : undefined;
}
