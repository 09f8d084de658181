/** The words a run understands. Registered before the first await; no handler throws, whatever arrives. */

import { defineQuery, defineSignal, defineUpdate, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import {
  hearDecision,
  nodesOf,
  note,
  planOf,
  previewDecision,
  questionsOf,
  statusOf,
  traceOf,
  type DecisionKind,
  type Heard,
  type NodesPage,
  type OpenQuestion,
  type PlanView,
  type Run,
  type RunStatus,
  type Trace,
} from '../run/index.ts';
import { toApplicationFailure } from './failures.ts';
import { now } from './now.ts';

export const approveSignal = defineSignal<[unknown]>('approve');
export const rejectSignal = defineSignal<[unknown]>('reject');
export const decideSignal = defineSignal<[unknown]>('decide');
export const decideUpdate = defineUpdate<Heard, [unknown]>('decide');
export const statusQuery = defineQuery<RunStatus>('status');
export const planQuery = defineQuery<PlanView>('plan');
export const nodesQuery = defineQuery<NodesPage, [{ after?: string; limit?: number }?]>('nodes');
export const traceQuery = defineQuery<Trace>('trace');
export const questionsQuery = defineQuery<readonly OpenQuestion[]>('questions');

export function handleMessages(run: Run): void {
  const hear = (kind?: DecisionKind) => (payload: unknown) => void hearDecision(run, payload, now(), kind);
  setHandler(approveSignal, hear('approve'), {
    description:
      'Approve exactly the open plan: {"digest":"first 8 hex digits or more","by":"who","comment":"optional"}',
  });
  setHandler(rejectSignal, hear('reject'), {
    description: 'Reject the open plan and end the run: {"digest":"...","by":"who","comment":"why"}',
  });
  setHandler(decideSignal, hear(), {
    description: 'Any decision: {"kind":"approve|reject","digest":"...","by":"who","revision":1}',
  });
  setDefaultSignalHandler((name) => note(run, now(), 'refused', `unknown signal ${JSON.stringify(name.slice(0, 80))}`));

  setHandler(decideUpdate, (payload: unknown) => hearDecision(run, payload, now()), {
    validator: (payload: unknown) => refuseAtOnce(previewDecision(run, payload, now())),
    description: 'As the signal "decide", and says at once whether the decision is taken and, if not, why.',
  });

  setHandler(statusQuery, () => statusOf(run), { description: 'Phase, outcome, digest, counts and the next command.' });
  setHandler(planQuery, () => planOf(run), { description: 'The plan as a text tree, with its digest and reference.' });
  setHandler(nodesQuery, (page) => nodesOf(run, typeof page === 'object' ? (page ?? {}) : {}), {
    description: 'A page of nodes: {"after":"node_200","limit":200}, both optional.',
  });
  setHandler(traceQuery, () => traceOf(run), { description: 'What happened: decisions, refused messages, failures.' });
  setHandler(questionsQuery, () => questionsOf(run), { description: 'What the run waits for a person to say.' });
}

/** Thrown in a validator, it answers the sender and leaves no event. */
function refuseAtOnce(heard: Heard): void {
  if (!heard.ok) {
    throw toApplicationFailure({ type: 'InvalidInput', message: heard.reason, details: [{ refusal: heard.refusal }] });
  }
}
