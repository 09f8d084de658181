/** One round of a loop for a run: what it decides with, and its ways into the world. */

import { Context } from '@temporalio/activity';
import { decideRound, type ConversationSources, type Decider } from '../planner/index.ts';
import {
  placeName,
  type DecideReply,
  type DecideRequest,
  type Deferral,
  type ProjectPolicy,
} from '../protocol/index.ts';
import { isBlocked } from './begin-effect.ts';
import { compileAndStore } from './compile-plan.ts';
import { deciderOf, registryOf, type DeciderSources } from './decider.ts';
import type { EffectGate } from './gate.ts';
import { orAway } from './model-away.ts';
import { limitsOfModel, openPaidModel, type ProjectModels } from './models.ts';
import { type Stores, placeOf } from './stores.ts';

export interface DecideSurroundings extends DeciderSources {
  readonly stores: Stores;
  readonly models: ProjectModels | undefined;
  readonly project: ProjectPolicy;
  readonly gate: EffectGate;
  readonly conversationOf?: ((id: string) => ConversationSources) | undefined;
}

export async function decideStep(
  request: DecideRequest,
  surroundings: DecideSurroundings,
): Promise<DecideReply | Deferral> {
  const decider = await deciderOf(request.task, surroundings);
  const { patienceMs } = surroundings.models?.modelOf(decider.agent) ?? {};
  const reply = await orAway(patienceMs, (isFinal) => roundOf(request, surroundings, decider, isFinal));
  if ('deferred' in reply || request.notes === undefined) return reply;
  // The first round has reported the project, and every reply stays in the history.
  const { project: _, ...later } = reply;
  return later;
}

/** @param isLastAttempt a failure that another attempt may cure is final, since none follows */
async function roundOf(
  request: DecideRequest,
  surroundings: DecideSurroundings,
  decider: Decider,
  isLastAttempt: boolean,
): Promise<DecideReply> {
  const { registry, store, stores, models, project, gate, conversationOf } = surroundings;
  const { cancellationSignal: cancellation } = Context.current();
  const { work, call, options = {} } = request;
  const { context, limits, conversation: id } = options;
  const conversation = id === undefined ? undefined : conversationOf?.(id);
  const of = placeOf(request);
  const asked = models?.modelOf(decider.agent);
  const model = models &&
    asked && {
      name: asked.client.name,
      prompts: models.planner.prompts,
      format: models.planner.format,
      paid: openPaidModel(
        asked,
        stores.of(of),
        { key: `${placeName(of)}/${call}` },
        {
          gate,
          work,
          allowance: request.allowance ?? project.spending,
        },
      ),
    };
  return decideRound(request, {
    decider,
    store,
    project,
    known: registry.all,
    ...(model !== undefined && { model }),
    ...(conversation !== undefined && { conversation }),
    compile: (document, results) =>
      compileAndStore(
        {
          source: { document },
          chain: request.chain,
          limits: limitsOfModel(limits),
          ...(context !== undefined && { context }),
        },
        registryOf(decider, registry),
        { store, stores },
        undefined,
        { results },
      ),
    cancellation,
    isLastAttempt,
    passes: isBlocked,
  });
}
