/** The models of a project, and calls to them: with journal, costs, and heartbeats until the reply. */

import { Context } from '@temporalio/activity';
import type { Agent } from '../capabilities/index.ts';
import { journaled, paidBy, type JournalPlace, type ModelClient, type ModelRequest } from '../models/index.ts';
import type { Prompts, PaidModel } from '../planner/index.ts';
import { addUsage, NO_USAGE, tokensOf, type Allowance, type CompileRequest, type Usage } from '../protocol/index.ts';
import { MODEL_LIMITS } from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import { heartbeat } from './guard.ts';
import { Blocked } from './begin-effect.ts';
import { orFinal } from './model-away.ts';
import type { EffectGate } from './gate.ts';

/** A model with the settings that its project sends with every request. */
export interface AskedModel {
  readonly client: ModelClient;
  readonly request: Pick<ModelRequest, 'temperature' | 'maxTokens' | 'reasoningEffort'>;
  /** How long a run waits for its server before it asks a person, in milliseconds; 0: not at all. Default 10 minutes. */
  readonly patienceMs?: number;
}

/** The planner's model with its prompts and plan format, and the models for agents and capabilities. */
export interface ProjectModels {
  readonly planner: AskedModel & { readonly prompts: Prompts; readonly format: 'nodes' | 'xml' };
  /** The model of an agent; without an agent, that of capabilities and of a goal's loop. */
  modelOf(agent?: Agent): AskedModel;
}

/** The same models, whose clients are watched. */
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

/**
 * The permission that a call waits for right before it is bought. A reply that is in the journal already is free, and
 * waits for nothing.
 */
export interface Permit {
  readonly gate: EffectGate;
  /** The id of the work that calls; without one (runs of earlier versions) no permission is needed. */
  readonly work: number | undefined;
  /** The limit for the calls of this work; absent without a budget. */
  readonly allowance?: Allowance | undefined;
  /** An effect that has begun continues, and buys what it needs. */
  readonly isFree?: boolean;
}

/** @param place the key under which replies are journaled, `<place of the run>/<step>/<stage>/<n>` */
export function openPaidModel(
  { client, request: settings, patienceMs }: AskedModel,
  store: ResultStore,
  place: Pick<JournalPlace, 'key'>,
  permit: Permit,
): PaidModel {
  const { cancellationSignal, info, log } = Context.current();
  const { gate, work, allowance } = permit;
  let blocked: Blocked | undefined;
  const block = (reason: string, spent?: Usage) => (blocked = new Blocked(reason, spent));
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
      const key = `${place.key}/${purpose}`;
      const journal = { ...place, key, store, permit: mayBuy, ...(allowance !== undefined && { onCost }) };
      try {
        const reply = await journaled(client, journal, { ...request, ...settings }, options);
        if (allowance === undefined) count(reply.usage);
        return reply;
      } catch (error) {
        // A reply that could not be used was paid for as well.
        if (allowance === undefined) count(paidBy(error) ?? NO_USAGE);
        throw orFinal(error, patienceMs);
      }
    },
  };
}

/** Why no further call is allowed; undefined if one is. An unknown cost is not free. */
function beyond(usage: Usage, { tokens, money }: Allowance): string | undefined {
  if (tokens !== undefined && tokensOf(usage) >= tokens) return SPENT_IT;
  if (money === undefined || usage.calls === 0) return money === undefined || money > 0 ? undefined : SPENT_IT;
  if (usage.cost === undefined) return 'a call of a model cost money that nobody can tell; give the model a price';
  return usage.cost >= money ? SPENT_IT : undefined;
}

const SPENT_IT = 'it has spent its part of the budget';

/** The limits of a plan or a step that a model writes: a run may ask for less, and never lets a model write more. */
export function limitsOfModel({ depth, nodes }: CompileRequest['limits'] = {}): NonNullable<CompileRequest['limits']> {
  const least = (asked: number | undefined, most: number) => Math.min(asked ?? most, most);
  return { depth: least(depth, MODEL_LIMITS.depth), nodes: least(nodes, MODEL_LIMITS.nodes) };
}
