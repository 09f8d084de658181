/** The models of a project. Calls to them are journaled and priced, and send heartbeats until the reply arrives. */

import { Context } from '@temporalio/activity';
import type { Agent } from '../capabilities/index.ts';
import { journaled, paidBy, type ModelClient, type ModelRequest } from '../models/index.ts';
import { type Prompts, type PaidModel, isModelFailure } from '../planner/index.ts';
import {
  addUsage,
  NO_USAGE,
  tokensOf,
  type Allowance,
  type CompileRequest,
  type Usage,
  given,
  runKey,
  type Deferral,
  type ProjectPolicy,
  type ReportRequest,
} from '../protocol/index.ts';
import { MODEL_LIMITS } from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import { placeOf, type Stores } from './stores.ts';
import { heartbeat, isLastAttempt } from './attempt-wrappers.ts';
import { Blocked } from './begin-effect.ts';
import type { EffectGate } from './gate.ts';
import { messageOf } from '../plan/text/index.ts';

export interface ConfiguredModel {
  readonly client: ModelClient;
  readonly request: Pick<ModelRequest, 'temperature' | 'maxTokens' | 'reasoningEffort'>;
  /** How long a run waits for the model's server before it asks a person, in ms. Default: 10 minutes. */
  readonly patienceMs?: number;
}

/** The planner's model with its prompts and plan format, and the models of agents and capabilities. */
export interface ProjectModels {
  readonly planner: ConfiguredModel & { readonly prompts: Prompts; readonly format: 'nodes' | 'xml' };
  /** The model of an agent. Without an agent: the model of capabilities and of the loop that works on a goal. */
  modelOf(agent?: Agent): ConfiguredModel;
}

export function watchedModels(models: ProjectModels, watched: (client: ModelClient) => ModelClient): ProjectModels {
  const { planner } = models;
  return {
    planner: { ...planner, client: watched(planner.client) },
    modelOf(agent) {
      const asked = models.modelOf(agent);
      return { ...asked, client: watched(asked.client) };
    },
  };
}

/** The permission for a model call. Replies from the journal are free and need no permission. */
export interface Permit {
  readonly gate: EffectGate;
  /** The id of the calling task. If it is undefined, the call needs no permission. */
  readonly work: number | undefined;
  readonly allowance?: Allowance | undefined;
  /** True if the effect has begun. Its model calls then need no permission. */
  readonly isFree?: boolean;
}

/** Opens a model for one request of a run. The run's budget limits its calls, or else the project's. */
export function openModelOf(
  model: ConfiguredModel,
  request: ModelCall,
  { stores, gate, project }: { readonly stores: Stores; readonly gate: EffectGate; readonly project: ProjectPolicy },
): PaidModel {
  const { work, allowance = project.spending } = request;
  return openPaidModel(model, stores.of(placeOf(request)), journalKey(request), { gate, work, allowance });
}

type ModelCall = Pick<ReportRequest, 'firstRunId' | 'call' | 'work'> & { readonly allowance?: Allowance };

export function journalKey(request: Pick<ModelCall, 'firstRunId' | 'call'>): string {
  return `${runKey(placeOf(request))}/${request.call}`;
}

/** Opens a model with a journal of replies, so that a retry does not pay twice. @param key prefix of journal keys */
export function openPaidModel(
  { client, request: settings, patienceMs }: ConfiguredModel,
  store: ResultStore,
  key: string,
  permit: Permit,
): PaidModel {
  const { cancellationSignal, info, log } = Context.current();
  const { gate, work, allowance } = permit;
  let blocked: Blocked | undefined;
  const block = (reason: string, spent?: Usage) => (blocked = new Blocked(reason, given({ spent })));
  const mayBuy = async (signal: AbortSignal = cancellationSignal) => {
    if (permit.isFree === true) return;
    const why = allowance && beyond(usage(), allowance);
    if (why !== undefined) throw block(why, usage());
    if (work === undefined || info.workflowExecution === undefined) return;
    const word = await gate.ask(info.workflowExecution, work, signal);
    if (!word.ok) throw block(word.reason);
  };
  const costs = new Map<string, Usage>();
  const usage = () => [...costs.values()].reduce(addUsage, NO_USAGE);
  const onCost = (call: string, cost: Usage) => void costs.set(call, cost);
  const count = (cost: Usage) => onCost(`${costs.size}`, cost);
  return {
    get usage() {
      return usage();
    },
    settle() {
      if (blocked !== undefined) throw blocked;
    },
    async ask(request, purpose, onText, signal = cancellationSignal) {
      const onNote = (note: string) => log.warn(note);
      const options = { signal, onBeat: heartbeat, onNote, ...(onText !== undefined && { onText }) };
      const journal = {
        key: `${key}/${purpose}`,
        store,
        permit: mayBuy,
        ...(allowance !== undefined && { onCost }),
      };
      try {
        const reply = await journaled(client, journal, { ...request, ...settings }, options);
        if (allowance === undefined) count(reply.usage);
        return reply;
      } catch (error) {
        // Unusable replies cost money too.
        if (allowance === undefined) count(paidBy(error) ?? NO_USAGE);
        throw withoutLongRetry(error, patienceMs);
      }
    },
  };
}

/** Why no further call is allowed; undefined if one is. After a call of unknown cost, a money limit allows no other. */
function beyond(usage: Usage, { tokens, money }: Allowance): string | undefined {
  if (tokens !== undefined && tokensOf(usage) >= tokens) return SPENT_IT;
  if (money === undefined || usage.calls === 0) return money === undefined || money > 0 ? undefined : SPENT_IT;
  if (usage.cost === undefined) return 'a call of a model cost money that nobody can tell; give the model a price';
  return usage.cost >= money ? SPENT_IT : undefined;
}

const SPENT_IT = 'it has spent its part of the budget';

/** Limits for a plan or a step that a model writes. A run may lower these limits, but not raise them. */
export function limitsOfModel({ depth, nodes }: CompileRequest['limits'] = {}): NonNullable<CompileRequest['limits']> {
  const least = (asked: number | undefined, most: number) => Math.min(asked ?? most, most);
  return { depth: least(depth, MODEL_LIMITS.depth), nodes: least(nodes, MODEL_LIMITS.nodes) };
}

/** Maximum pause in ms that an attempt waits if the server asks for it. Longer pauses become waits of the run. */
const LONGEST_PAUSE_MS = 10_000;
/** Maximum pause in milliseconds: a year. */
const MAX_PAUSE_MS = 365 * 86_400_000;
/** Error codes that do not mean an outage: this side stopped the call, or the store rejected a paid reply. */
const OF_OTHERS = ['cancelled', 'not-journaled'];

/**
 * Defers the activity if its last attempt got no answer from the model's server, or if the server asks for a long
 * pause.
 * @param patienceMs how long the run waits; 0: not at all, so that an outage is an ordinary failure
 */
export async function deferOnModelOutage<Reply>(
  patienceMs: number | undefined,
  work: (isFinal: boolean) => Promise<Reply>,
): Promise<Reply | Deferral> {
  const isLast = isLastAttempt();
  try {
    return await work(isLast && patienceMs === 0);
  } catch (error) {
    const isAway = isModelFailure(error) && error.severity === 'RETRIABLE' && !OF_OTHERS.includes(error.kind);
    const pauseMs = longPauseOf(error);
    if (!isAway || patienceMs === 0 || !(isLast || pauseMs !== undefined)) throw error;
    const pause = pauseMs !== undefined && { pauseMs: Math.min(pauseMs, MAX_PAUSE_MS) };
    return { deferred: 'model', reason: `the model server: ${messageOf(error)}`, ...given({ patienceMs }), ...pause };
  }
}

function longPauseOf(error: unknown): number | undefined {
  const { retryAfterMs = 0 } = isModelFailure(error) ? error : {};
  return retryAfterMs > LONGEST_PAUSE_MS ? retryAfterMs : undefined;
}

/** Prevents a retry if the server asks for a long pause and the run never waits for the model's server. */
export function withoutLongRetry(error: unknown, patienceMs?: number): unknown {
  if (patienceMs !== 0 || !isModelFailure(error) || longPauseOf(error) === undefined) return error;
  return Object.assign(error, { severity: 'CRITICAL' as const });
}
