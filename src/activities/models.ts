/** The models of a project, and how an activity asks one: journaled, counted, beating while the reply comes. */

import { Context } from '@temporalio/activity';
import type { Agent } from '../capabilities/index.ts';
import type { Usage } from '../contract/index.ts';
import { journaled, type ModelClient, type ModelReply, type ModelRequest, type Prompts } from '../planner/index.ts';
import { addUsage, NO_USAGE } from '../run/index.ts';
import type { ResultStore } from '../results/index.ts';
import { heartbeat } from './beat.ts';

/** A model with what its project says of every request. */
export interface AskedModel {
  readonly client: ModelClient;
  readonly request: Pick<ModelRequest, 'temperature' | 'maxTokens'>;
}

export interface ProjectModels {
  readonly planner: AskedModel & { readonly prompts: Prompts; readonly format: 'nodes' | 'xml' };
  /** What an agent asks; without one, what capabilities and the loop of a goal ask. */
  modelOf(agent?: Agent): AskedModel;
}

export interface Purse {
  /** Of all calls so far. A reply that was bought by an attempt before counts, since that attempt told nobody. */
  usage: Usage;
  ask(request: ModelRequest, purpose: string, onText?: (delta: string) => void): Promise<ModelReply>;
}

/** @param place `<workflowId>/<step>/<stage>/<n>`, under which the replies are journaled */
export function openPurse({ client, request: settings }: AskedModel, store: ResultStore, place: string): Purse {
  const { cancellationSignal: signal } = Context.current();
  const purse: Purse = {
    usage: NO_USAGE,
    async ask(request, purpose, onText) {
      const key = `${place}/${purpose}`;
      const options = { signal, onBeat: heartbeat, ...(onText !== undefined && { onText }) };
      try {
        const reply = await journaled(client, { key, store }, { ...request, ...settings }, options);
        purse.usage = addUsage(purse.usage, reply.usage);
        return reply;
      } catch (error) {
        // A reply that could not be used was paid for as well.
        purse.usage = addUsage(purse.usage, (error as { usage?: Usage } | undefined)?.usage ?? NO_USAGE);
        throw error;
      }
    },
  };
  return purse;
}
