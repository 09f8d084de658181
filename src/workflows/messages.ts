/** The words a run understands. Registered before the first await; no handler throws, whatever arrives. */

import { defineQuery, defineSignal, defineUpdate, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import {
  nodesOf,
  note,
  planOf,
  questionsOf,
  statusOf,
  traceOf,
  type Heard,
  type NodesPage,
  type OpenItem,
  type PlanView,
  type Refused,
  type Run,
  type RunStatus,
  type TracePage,
} from '../run/index.ts';
import { toApplicationFailure } from './failures.ts';
import type { Ear } from './hear.ts';
import { now } from './now.ts';

type Page = { after?: unknown; limit?: unknown };

const MESSAGES = {
  approve:
    'Approve exactly the open plan: {"digest":"first 8 hex digits or more","by":"who","role":"optional","comment":"optional"}',
  reject: 'Reject the open plan: {"digest":"...","by":"who","comment":"why"}',
  decide:
    'Any decision: {"kind":"approve|approve-part|reject|revise|edit|withdraw","digest":"...","by":"who"}; approve-part has "nodes":["node_3"], edit has "plan":{...}, revise has "feedback":"..."',
  answer:
    'Answer an open question: {"question":"its id","value":any JSON,"by":"who"}; the query "questions" tells the ids',
  control:
    'Steer: {"action":"pause|resume|cancel-node|retry-node|skip-node|resolve","node":"node_3","outcome":"succeeded|failed (resolve)","value":"result (resolve succeeded)","by":"who"}',
} as const;

export const statusQuery = defineQuery<RunStatus>('status');
export const planQuery = defineQuery<PlanView>('plan');
export const nodesQuery = defineQuery<NodesPage, [Page?]>('nodes');
export const traceQuery = defineQuery<TracePage, [Page?]>('trace');
export const questionsQuery = defineQuery<readonly OpenItem[], [Page?]>('questions');

export function handleMessages(run: Run, ear: Ear): void {
  for (const name of ['approve', 'reject', 'decide', 'answer', 'control'] as const) {
    setHandler(defineSignal<[unknown]>(name), async (payload) => void (await ear.hear(name, payload)), {
      description: MESSAGES[name],
    });
  }
  for (const name of ['decide', 'answer', 'control'] as const) {
    setHandler(defineUpdate<Heard, [unknown]>(name), async (payload) => taken(await ear.hear(name, payload)), {
      validator: (payload) => refuseAtOnce(ear.preview(name, payload)),
      description: `${MESSAGES[name]}. Says at once whether it is taken and, if not, why.`,
    });
  }
  setDefaultSignalHandler((name) => note(run, now(), 'refused', `unknown signal ${JSON.stringify(name.slice(0, 80))}`));

  setHandler(statusQuery, () => statusOf(run), { description: 'Phase, outcome, digest, counts and the next command.' });
  setHandler(planQuery, () => planOf(run), { description: 'The plan as a text tree, with its digest and reference.' });
  setHandler(nodesQuery, (page) => nodesOf(run, pageOf(page)), {
    description: 'A page of nodes: {"after":"node_200","limit":200}, both optional.',
  });
  setHandler(traceQuery, (page) => traceOf(run.trace, pageOf(page)), {
    description: 'What happened and who said what: {"after":200,"limit":200}, both optional.',
  });
  setHandler(questionsQuery, (page) => questionsOf(run, pageOf(page)), {
    description: 'What the run waits for a person to say, each with the message to send: {"after":"id","limit":100}.',
  });
}

function pageOf(page: Page | undefined): Page {
  return typeof page === 'object' ? (page ?? {}) : {};
}

/** Thrown in a validator, it answers the sender and leaves no event. */
function refuseAtOnce(refused: Refused | undefined): void {
  if (refused !== undefined) throw refusalOf(refused);
}

/** A refused update fails, so that whoever sends it sees the reason in place of a dialog that closes. The run goes on. */
function taken(heard: Heard): Heard {
  if (heard.ok) return heard;
  throw refusalOf(heard);
}

function refusalOf({ reason: message, refusal, issues }: Exclude<Heard, { ok: true }>): Error {
  const details = [{ refusal, ...(issues !== undefined && { issues }) }];
  return toApplicationFailure({ type: 'InvalidInput', message, details });
}
