/** A plan from its document to its result: one turn after the other, until it ends. */

import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { RunResult } from '../contract/index.ts';
import {
  note,
  openRun,
  parsePlanInput,
  pressureOf,
  preview,
  receive,
  resultOf,
  takeTurn,
  type Run,
} from '../run/index.ts';
import { quote } from '../text/index.ts';
import { createAlarm } from './alarm.ts';
import { createCrew } from './carry-out.ts';
import { isGoingOn, toApplicationFailure, toRunFailure } from './failures.ts';
import { goOn, isResume, takeUp } from './go-on.ts';
import { handleMessages } from './messages.ts';
import { now } from './now.ts';
import { Post } from './post.ts';
import { createScreen } from './show.ts';
import { verifyHere } from './verify-here.ts';

/**
 * Runs a plan. Input `{ goal?, plan?, ref?, options? }`; see docs/runs.md.
 * Fails with `InvalidInput`, `InvalidPlan` or `PlanFailed`; every other end is in `outcome`.
 * @example await client.workflow.start('planWorkflow', { taskQueue: 'planwright', workflowId: 'plan-1', args: [plan] });
 */
export async function planWorkflow(input: unknown): Promise<RunResult> {
  const { workflowId, startTime } = workflowInfo();
  const post = new Post();
  let run = openRun(workflowId, startTime.toISOString());
  let isThere = !isResume(input);
  let cancelled: unknown;
  handleMessages(post, {
    run: () => (isThere ? run : undefined),
    preview: (name, payload) => (isThere ? preview(run, { id: 0, name, payload, at: now() }, verifyHere) : undefined),
    unknown: (name) => note(run, now(), 'refused', `unknown signal ${quote(name)}`),
  });
  CancellationScope.current().cancelRequested.catch((error: unknown) => {
    cancelled = error;
    run.dialogue.cancelled = true;
    post.news();
  });
  return CancellationScope.nonCancellable(async () => {
    try {
      run = await begin(run, input);
      isThere = true;
      run.dialogue.cancelled ||= cancelled !== undefined;
      await turnAfterTurn(run, post);
      await post.close();
      return endOf(run, cancelled);
    } catch (error) {
      // Whoever waits for a reply gets it in the next history.
      if (!isGoingOn(error)) await post.close();
      throw toRunFailure(error);
    }
  });
}

/** A new run reads its input; one that goes on takes up what the history before left. */
async function begin(run: Run, input: unknown): Promise<Run> {
  if (isResume(input)) return takeUp(input);
  const parsed = parsePlanInput(input);
  if (parsed.ok) Object.assign(run.dialogue, { source: parsed.source, options: parsed.options });
  else {
    const { problems } = parsed;
    run.dialogue.failure = { type: 'InvalidInput', message: sentenceOf(problems), details: [{ problems }] };
  }
  return run;
}

/** As many as a failure's message has room for. */
const PROBLEMS_TOLD = 5;

function sentenceOf(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_TOLD;
  const told = problems.slice(0, PROBLEMS_TOLD).join('; ');
  return more > 0 ? `${told}; and ${more} more lines of problems in the details` : told;
}

async function turnAfterTurn(run: Run, post: Post): Promise<void> {
  const crew = createCrew(run, verifyHere, () => post.news());
  const alarm = createAlarm(() => post.news());
  const screen = createScreen(run);
  const { historyLength, historySize } = workflowInfo();
  const since = { events: historyLength, bytes: historySize };
  for (;;) {
    post.deliver((arrival) => receive(run, arrival));
    const { historyLength: events, historySize: bytes } = workflowInfo();
    const pressure = pressureOf(run, { events, bytes, signals: post.signals, updates: post.updates }, since);
    const orders = takeTurn(run, { at: now(), verify: verifyHere, pressure, events });
    for (const { message, reply } of orders.replies) post.reply(message, reply);
    for (const id of orders.stop) crew.stop(id);
    for (const id of orders.begin) crew.begin(id);
    screen.show();
    if (orders.next === 'end') return;
    if (orders.next === 'continue') {
      await goOn(run, post);
      continue;
    }
    alarm.set(orders.due);
    if (orders.more) await breathe(post);
    else await post.awaitNews();
  }
}

/** Leaves the rest to another activation: what arrives next brings one, and else a timer. A flood puts timers off. */
async function breathe(post: Post): Promise<void> {
  const scope = new CancellationScope();
  const timer = scope.run(() => sleep(1, { summary: 'more messages wait to be heard' }));
  await Promise.race([timer, post.awaitArrival()]);
  scope.cancel();
}

function endOf(run: Run, cancelled: unknown): RunResult {
  const { failure, approval } = run.dialogue;
  if (failure !== undefined) throw toApplicationFailure(failure);
  if (approval.outcome === 'cancelled') throw cancelled;
  return resultOf(run);
}
