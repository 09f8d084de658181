/** A run from its input to its end: one turn after the other. */

import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { RunResult } from '../contract/index.ts';
import {
  awaited,
  detailsOf,
  keepRequest,
  note,
  openRun,
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
import { createFamily, type Family } from './family.ts';
import { goOn, isResume, takeUp } from './go-on.ts';
import { whenLookedAt } from './looked-at.ts';
import { handleMessages } from './messages.ts';
import { now } from './now.ts';
import { Post } from './post.ts';
import { keepResults, reasonOf } from './reach.ts';
import { showWaiting } from './show.ts';
import { verifyHere } from './verify-here.ts';

/**
 * @param parse puts what the input says into a new run, or what is wrong with it
 */
export async function carryRun(input: unknown, parse: (run: Run, input: unknown) => void): Promise<RunResult> {
  const { workflowId, startTime } = workflowInfo();
  const post = new Post();
  let run = openRun(workflowId, startTime.toISOString());
  let isThere = !isResume(input);
  let cancelled: unknown;
  const family = createFamily(() => post.news());
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
      run = await begin(run, input, parse);
      isThere = true;
      family.join(run);
      run.dialogue.cancelled ||= cancelled !== undefined;
      await turnAfterTurn(run, post, family);
      await leaveResults(run);
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
async function begin(run: Run, input: unknown, parse: (run: Run, input: unknown) => void): Promise<Run> {
  if (isResume(input)) return takeUp(input);
  parse(run, input);
  return run;
}

async function turnAfterTurn(run: Run, post: Post, family: Family): Promise<void> {
  const crew = createCrew(run, verifyHere, () => post.news());
  const alarm = createAlarm(() => post.news());
  whenLookedAt(() => detailsOf(run));
  const { historyLength, historySize } = workflowInfo();
  const since = { events: historyLength, bytes: historySize };
  for (;;) {
    post.deliver((arrival) => receive(run, arrival));
    const { historyLength: events, historySize: bytes } = workflowInfo();
    const pressure = pressureOf(run, { events, bytes, signals: post.signals, updates: post.updates }, since);
    const orders = takeTurn(run, { at: now(), verify: verifyHere, pressure, events });
    for (const { message, reply } of orders.replies) post.reply(message, reply);
    const told = family.tellWhy(orders.stop);
    for (const id of orders.stop) {
      const telling = told.get(id);
      if (telling === undefined) crew.stop(id);
      else void telling.then(() => crew.stop(id));
    }
    for (const id of orders.begin) crew.begin(id);
    showWaiting(run);
    family.tell();
    if (orders.next === 'end') return;
    if (orders.next === 'continue') {
      await goOn(run, post);
      continue;
    }
    alarm.set(orders.due, (due) => awaited(run, due));
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

/** For later runs of its conversation. One that cannot leave them there has ended all the same, and says so. */
async function leaveResults(run: Run): Promise<void> {
  const request = keepRequest(run);
  if (request === undefined) return;
  try {
    await keepResults(request);
  } catch (error) {
    note(
      run,
      now(),
      'closed',
      `its results are not kept in conversation ${quote(request.conversation)}: ${reasonOf(error)}`,
    );
  }
}

function endOf(run: Run, cancelled: unknown): RunResult {
  const { failure, approval, killed } = run.dialogue;
  if (failure !== undefined && killed === undefined) throw toApplicationFailure(failure);
  if (approval.outcome === 'cancelled') throw cancelled;
  return resultOf(run);
}
