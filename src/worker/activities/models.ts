/** The models of a project, and how an activity asks one: journaled, counted, beating while the reply comes. */

import { Context } from '@temporalio/activity';
import type { Agent } from '../../define/index.ts';
import { journaled, paidBy, type ModelClient, type ModelRequest } from '../../model/index.ts';
import type { Prompts, Purse } from '../../loop/index.ts';
import { addUsage, NO_USAGE } from '../../engine/run/index.ts';
import type { ResultStore } from '../../wire/results/index.ts';
import { heartbeat } from './beat.ts';
import { HeldBack } from './begin-effect.ts';
import type { Gate } from './gate.ts';

/** A model with the settings that its project sends with every request. */
export interface AskedModel {
  readonly client: ModelClient;
  readonly request: Pick<ModelRequest, 'temperature' | 'maxTokens' | 'reasoningEffort'>;
  /** How long a run waits for its server before it asks a person, in milliseconds; 0: not at all. Default 30 minutes. */
  readonly patienceMs?: number;
}

/**
 * The models of a project: the planner's, with its prompts and the format of its plans, and those that agents and
 * capabilities ask.
 */
export interface ProjectModels {
  readonly planner: AskedModel & { readonly prompts: Prompts; readonly format: 'nodes' | 'xml' };
  /** The model that an agent asks; without an agent, the one that capabilities and the loop of a goal ask. */
  modelOf(agent?: Agent): AskedModel;
}

/**
 * The permission that a call waits for right before it is bought. A reply that is in the journal already is free, and
 * waits for nothing.
 */
export interface Permit {
  readonly gate: Gate;
  /** The id of the work that asks; without one, as in runs of earlier versions, nobody is asked. */
  readonly work: number | undefined;
}

/** @param place `<workflowId>/<step>/<stage>/<n>`, under which the replies are journaled */
export function openPurse(
  { client, request: settings }: AskedModel,
  store: ResultStore,
  place: string,
  permit: Permit,
): Purse {
  const { cancellationSignal, info, log } = Context.current();
  let held: HeldBack | undefined;
  const gated: ModelClient = {
    name: client.name,
    async complete(request, options) {
      const { gate, work } = permit;
      if (work !== undefined && info.workflowExecution !== undefined) {
        const word = await gate.ask(info.workflowExecution, work, options?.signal ?? cancellationSignal);
        if (!word.ok) throw (held = new HeldBack(word.reason));
      }
      return client.complete(request, options);
    },
  };
  let usage = NO_USAGE;
  return {
    get usage() {
      return usage;
    },
    settle() {
      if (held !== undefined) throw held;
    },
    async ask(request, purpose, onText, signal = cancellationSignal) {
      const key = `${place}/${purpose}`;
      const onNote = (note: string) => log.warn(note);
      const options = { signal, onBeat: heartbeat, onNote, ...(onText !== undefined && { onText }) };
      try {
        const reply = await journaled(gated, { key, store }, { ...request, ...settings }, options);
        usage = addUsage(usage, reply.usage);
        return reply;
      } catch (error) {
        // A reply that could not be used was paid for as well.
        usage = addUsage(usage, paidBy(error) ?? NO_USAGE);
        throw error;
      }
    },
  };
}
