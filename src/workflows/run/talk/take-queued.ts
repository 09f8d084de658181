/** The line of queued requests, which need an activity: who is next, and how many may begin in one turn. */

import type { Queued, Message } from '../work-state.ts';
import { nodeId } from '../../../protocol/index.ts';
import type { Run } from '../in-memory.ts';
import { begin } from '../work.ts';
import type { Verify } from './authenticate.ts';
import { hearInTurn } from './mailbox.ts';
import { giveUp } from './questions.ts';

/**
 * @bound messages that activities work for at once
 * @beyond the others wait in line
 */
const MOST_REQUESTED = 50;
/**
 * The most characters of JSON that are handed to activities in one turn; one more request may follow. The server takes 4
 * MiB in one call, and a run that sends more can do nothing else any more.
 */
const TURN_CHARACTERS = 500_000;

/**
 * Lets activities begin for those that stand in line, as far as there is room.
 * @returns whether some could begin with the next workflow task
 */
export function takeQueued(run: Run, verify: Verify, at: string): boolean {
  const { dialogue } = run;
  // A fault is tried by one of them.
  const most = dialogue.fault === undefined ? MOST_REQUESTED : 1;
  let under = 0;
  for (const { kind } of Object.values(run.work)) if (kind === 'message' || kind === 'default') under += 1;
  let taken = 0;
  let characters = 0;
  const later: Queued[] = [];
  for (; under < most && characters < TURN_CHARACTERS && taken < dialogue.queue.length; taken += 1) {
    const queued = dialogue.queue[taken];
    if (queued === undefined) break;
    const began =
      queued.for === 'message' ? beginFor(run, queued.message, verify) : beginDefault(run, queued.question, at);
    if (began === 'later') later.push(queued);
    else if (began) under += 1;
    if (began === true && queued.for === 'message') characters += JSON.stringify(queued.message.payload)?.length ?? 0;
  }
  if (taken > 0) dialogue.queue = [...later, ...dialogue.queue.slice(taken)];
  return dialogue.queue.length > 0 && characters >= TURN_CHARACTERS;
}

function beginFor(run: Run, message: Message, verify: Verify): boolean | 'later' {
  const request = hearInTurn(run, message, verify);
  if (request === undefined) return false;
  // The keys that are being read are for all; forged messages make no flood of activities.
  if (request.do === 'keys' && isReadingKeys(run)) return 'later';
  if (request.do === 'revise') run.dialogue.plannings += 1;
  begin(run, { kind: 'message', message, request });
  return true;
}

function isReadingKeys({ work }: Run): boolean {
  return Object.values(work).some((one) => one.kind === 'message' && one.request.do === 'keys');
}

function beginDefault(run: Run, id: string, at: string): boolean {
  const asked = run.dialogue.questions[id];
  if (asked === undefined) return false;
  const value = asked.question.default;
  if (value === undefined) {
    giveUp(run, id, at);
    return false;
  }
  const node = asked.node < 0 ? {} : { node: nodeId(asked.node) };
  begin(run, { kind: 'default', request: { do: 'store', ...node, value, as: { what: 'default', question: id } } });
  return true;
}
