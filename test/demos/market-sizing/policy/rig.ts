/** A small market, states of it, and conversations with a policy: a scripted model, scripted outcomes, no server. */

import type { Decision } from '../../../../examples/market-sizing/policy/decision.ts';
import { marketPolicy, type Market } from '../../../../examples/market-sizing/policy/policy.ts';
import { type Field, type State } from '../../../../examples/market-sizing/policy/state.ts';
import type { Around } from '../../../../examples/market-sizing/policy/stages.ts';
import type { JsonValue } from '../../../../src/plan/index.ts';
import { ModelError, type ModelReply, type ModelRequest } from '../../../../src/models/index.ts';
import { type Happened, type Step } from '../../../../src/capabilities/policy/index.ts';
import { runRound } from '../../../../src/planner/index.ts';

const text = { kind: 'text', prefer: 'user' } as const;
const number = { kind: 'number' } as const;

export const UNITS: Field = {
  ...{ ...number, prefer: 'web', title: 'Units sold', regional: true, least: 0 },
  ...{ queries: ['units sold', 'unit sales'], question: 'How many units?' },
};
export const PRICE: Field = {
  ...{ ...number, prefer: 'user', title: 'Price', money: true, question: 'Which price?', least: 1, most: 10_000 },
};
export const FIELDS: Readonly<Record<string, Field>> = {
  'core.region': { ...text, title: 'Region' },
  'core.currency': { ...text, title: 'Currency', pattern: '[A-Z]{3}' },
  size: {
    ...{ ...number, prefer: 'web', title: 'Size', derived: true, money: true },
    decomposition: { expression: 'units * price', components: { units: UNITS, price: PRICE } },
  },
  growth: { ...number, prefer: 'web', title: 'Growth', unit: '%', wanted: true },
};
export const MARKET: Market = { target: 'size', fields: FIELDS };

/** Says `replies[purpose]`; whatever it has no reply for fails the test. */
export function aroundWith(replies: Readonly<Record<string, unknown>> = {}, asked: string[] = []): Around {
  return {
    task: { goal: 'Size the market', inputs: [] },
    async ask(purpose: string, request: ModelRequest): Promise<ModelReply> {
      asked.push(purpose);
      if (!Object.hasOwn(replies, purpose))
        throw new Error(`nobody expected ${purpose}: ${request.messages[1]?.content}`);
      const value = replies[purpose];
      if (value instanceof Error) throw value;
      const usage = { calls: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
      return { text: '', value: value as JsonValue, toolCalls: [], finish: 'stop', usage, model: 'scripted' };
    },
  };
}

export const REFUSAL = new ModelError('refusal', 'I would rather not.');

/** What a step gives: results by key, or a failure. */
export type Outcome = JsonValue | { readonly failed: string };
export interface Script {
  readonly market?: Market;
  /** By purpose; a list is said one after the other. */
  readonly replies?: Readonly<Record<string, unknown>>;
  /** By capability, in order; an error where there are too few. */
  readonly outcomes: Readonly<Record<string, readonly Outcome[]>>;
}
export interface Told {
  /** A round a line: `tick+ g_iter_cap g_region! ... => ask_user core.region`. */
  readonly rounds: readonly string[];
  readonly end: Extract<Step, { is: 'finish' }>;
  readonly state: State;
  /** Purposes for which the model was asked. */
  readonly asked: readonly string[];
}

const MARKS = { decided: '!', rewrote: '~', wrote: '+', passed: '', spared: '-' } as const;
const MOST_ROUNDS = 60;

/** Rounds until the end: each one's decision is dispatched, and its scripted outcome is what the next one is told. */
export async function converse({ market = MARKET, replies = {}, outcomes }: Script): Promise<Told> {
  const policy = marketPolicy(market);
  const left = Object.fromEntries(Object.entries(outcomes).map(([name, list]) => [name, [...list]]));
  const lines = Object.fromEntries(
    Object.entries(replies).map(([name, said]) => [name, Array.isArray(said) ? [...(said as unknown[])] : undefined]),
  );
  const asked: string[] = [];
  const rounds: string[] = [];
  let state: State | undefined;
  let happened: Happened<Decision> | undefined;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const said = Object.fromEntries(
      Object.entries(replies).map(([name, one]) => [name, lines[name] === undefined ? one : lines[name][0]]),
    );
    const before = asked.length;
    const made = await runRound(policy, {
      round,
      around: aroundWith(said, asked),
      ...(state !== undefined && { state }),
      ...(happened !== undefined && { happened }),
    });
    for (const purpose of asked.slice(before)) lines[purpose]?.shift();
    const { decision, visits } = made;
    state = made.state;
    rounds.push(`${visits.map(({ stage, did }) => `${stage}${MARKS[did]}`).join(' ')} => ${wordsOf(decision)}`);
    const step = policy.actions.get(decision.action)?.dispatch(decision, state);
    if (step?.is === 'finish') return { rounds, end: step, state, asked };
    if (step?.is !== 'capability') throw new Error(`round ${round} came to ${JSON.stringify(step)}`);
    const outcome = left[step.name]?.shift();
    if (outcome === undefined)
      throw new Error(`nobody scripted another ${step.name}: ${JSON.stringify(step.arguments)}`);
    const failed =
      typeof outcome === 'object' && outcome !== null && 'failed' in outcome
        ? JSON.stringify(outcome['failed'])
        : undefined;
    happened =
      failed === undefined
        ? { round, decision, status: 'succeeded', results: { [`step_${round}`]: outcome } }
        : { round, decision, status: 'failed', message: failed, results: {} };
  }
  throw new Error(`no end after ${MOST_ROUNDS} rounds:\n${rounds.join('\n')}`);
}

function wordsOf(decision: Decision): string {
  const { action } = decision;
  return action === 'search' || action === 'ask_user' ? `${action} ${decision.component ?? decision.field}` : action;
}

/** A search that found one page with one line. */
export function page(line: string, id = 'page.md:3', title = 'Norrvik'): JsonValue {
  return { hits: [{ id, title, score: 1, snippet: line, file: 'page.md', line: 3 }], total: 1 };
}
export const NO_HITS: JsonValue = { hits: [], total: 0 };
