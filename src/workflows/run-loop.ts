import {
  CancellationScope,
  CancelledFailure,
  sleep,
  workflowInfo,
  upsertSearchAttributes,
  metricMeter,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  BETWEEN_HISTORIES,
  type RunResult,
  WAITS_FOR_ATTRIBUTE,
  madeAs,
  METRICS,
  type Metric,
  NODE_ENDS,
  type NodeStatus,
} from '../protocol/index.ts';
import { quoteId } from '../plan/text/index.ts';
import {
  timerText,
  runDetails,
  resultsToKeep,
  lastMessageToParent,
  pressureIn,
  previewRefusal,
  runResult,
  takeTurn,
  type Incoming,
  type openPlanRun,
  type Orders,
  type ReadonlyRun,
  type Verify,
} from './run/index.ts';
import { openTasks } from './execute-task.ts';
import { rethrowUnknown, toApplicationFailure } from './failures.ts';
import { receiveRunSignals, Mailbox, signalRun, signalUntilTaken, now, handleMessages } from './mailbox.ts';
import { continueAsNew, invalid, isResume, loadRun } from './continue-as-new.ts';
import { onDetailsQuery } from './sdk/activations.ts';
import { openScope } from './sdk/task-scope.ts';
import { activities, failureReason } from './call-activity.ts';
import { verifyToken } from '../protocol/identity/token/index.ts';

export async function runLoop(input: unknown, open: typeof openPlanRun): Promise<RunResult> {
  const mailbox = new Mailbox();
  let run: ReadonlyRun | undefined;
  let waits: string | undefined;
  receiveRunSignals(mailbox);
  handleMessages(mailbox, {
    run: () => run,
    waits: () => waits,
    preview: (name, payload, update) => {
      const named = { name, payload, at: now(), ...(update !== undefined && { update }) };
      return run && previewRefusal(run, named, verifyHere);
    },
  });
  CancellationScope.current().cancelRequested.catch(() => mailbox.add({ is: 'cancelled', at: now() }));
  onDetailsQuery(() => (run === undefined ? (waits ?? BETWEEN_HISTORIES) : runDetails(run)));
  const main = async () => {
    try {
      const { workflowId, startTime, root, parent, firstExecutionRunId: firstRunId, cronSchedule } = workflowInfo();
      if (cronSchedule !== undefined && cronSchedule !== '') throw invalid(CRON);
      const origin = {
        firstRunId,
        isChild: parent !== undefined,
        ...(root !== undefined && { root: root.workflowId }),
      };
      run = isResume(input)
        ? await loadRun(input, mailbox, (words) => (waits = words))
        : open(workflowId, startTime.toISOString(), input, origin);
      const turn = turnsOf(run, mailbox);
      await takeTurns(run, mailbox, turn);
      const lastMessage = lastMessageToParent(run);
      if (lastMessage !== undefined) await signalUntilTaken(lastMessage);
      await storeResults(run, turn);
      await storeReceipt(run, turn);
      await mailbox.close();
      countRun(run);
      return resultOrThrow(run);
    } catch (error) {
      // The run continues as new or has a bug. The mailbox stays open, and senders get their replies later.
      rethrowUnknown(error);
      await mailbox.close();
      throw error;
    }
  };
  return CancellationScope.nonCancellable(() => Promise.race([main(), mailbox.bug]));
}

const CRON =
  '$: a run is not started with a cron schedule, whose starts are one run to the server; end it with `temporal workflow terminate`, and ' +
  'make a Schedule, which starts a run of its own each time: `temporal schedule create`; see docs/temporal.md';

type Turn = (arrivals: readonly Incoming[]) => Orders;

function turnsOf(run: ReadonlyRun, mailbox: Mailbox): Turn {
  const { historyLength, historySize } = workflowInfo();
  const since = { events: historyLength, bytes: historySize };
  return (arrivals) => {
    const { historyLength: events, historySize: bytes, continueAsNewSuggested: isSuggested } = workflowInfo();
    const length = { events, bytes, isSuggested, signals: mailbox.signals, updates: mailbox.updates };
    const pressure = () => pressureIn(run, length, since);
    return takeTurn(run, { at: now(), verify: verifyHere, arrivals, pressure });
  };
}

async function takeTurns(run: ReadonlyRun, mailbox: Mailbox, turn: Turn): Promise<void> {
  const tasks = openTasks(run, mailbox);
  const countNodes = nodeCounter(run);
  const setAlarm = openTimer(() => mailbox.requestTurn());
  for (;;) {
    const orders = mailbox.deliver(turn);
    countNodes();
    for (const { message, reply } of orders.replies) mailbox.reply(message, reply);
    for (const signal of orders.runSignals)
      void signalRun(signal).then((outcome) => mailbox.add({ is: 'signalled', to: signal.to, outcome, at: now() }));
    for (const id of orders.cancel) tasks.cancel(id);
    for (const part of orders.cancelParts) tasks.cancelPart(part);
    tasks.begin(orders.begin);
    publishRoles(orders.roles);
    if (orders.next === 'end') return;
    if (orders.next === 'continue') {
      await continueAsNew(run, mailbox);
      continue;
    }
    setAlarm(orders.due, (due) => timerText(run, due));
    if (orders.hasMore) await mailbox.yieldTurn();
    else await mailbox.awaitTurn();
  }
}

/** Stores the results for later runs of the conversation. If that fails, the run reports it and ends as usual. */
async function storeResults(run: ReadonlyRun, turn: Turn): Promise<void> {
  const request = resultsToKeep(run);
  if (request === undefined) return;
  try {
    await activities.keepResults(request, 'Keep the results in the conversation');
  } catch (error) {
    rethrowUnknown(error);
    const reason = `its results are not kept in conversation ${quoteId(request.conversation)}: ${failureReason(error)}`;
    turn([{ is: 'not-kept', reason, at: now() }]);
  }
}

/** Stores the receipt, if the project has receipts and there was a plan. A failure is only reported. */
async function storeReceipt({ state }: ReadonlyRun, turn: Turn): Promise<void> {
  const { project, approval, firstRunId } = state;
  if (project.receipts !== true || approval.digest === '') return;
  try {
    await activities.writeReceipt({ firstRunId }, 'Write the receipt');
  } catch (error) {
    rethrowUnknown(error);
    turn([{ is: 'not-kept', reason: `its receipt was not written: ${failureReason(error)}`, at: now() }]);
  }
}

function resultOrThrow(run: ReadonlyRun): RunResult {
  const { failure, approval } = run.state;
  const { closed } = approval;
  if (failure !== undefined && closed?.killed === undefined) throw toApplicationFailure(failure);
  if (closed?.outcome === 'cancelled') throw new CancelledFailure('the run was cancelled');
  return runResult(run);
}

/** The search attribute with the roles that a run waits for, which inboxes search. */
const WAITS_FOR = defineSearchAttributeKey(WAITS_FOR_ATTRIBUTE, SearchAttributeType.KEYWORD_LIST);

/** @param roles undefined if unchanged or if the attribute is not registered, since setting it would stop the run */
function publishRoles(roles: readonly string[] | undefined): void {
  if (roles === undefined) return;
  upsertSearchAttributes([{ key: WAITS_FOR, value: roles.length === 0 ? null : [...roles] }]);
}

const verifyHere: Verify = (token, about) => verifyToken(token, { ...about, namespace: workflowInfo().namespace });

/**
 * Keeps at most one timer, and replaces it only if the nearest deadline changes, so that waiting adds no events.
 * @returns a function that sets the timer to `due` (ISO 8601; undefined: no timer) and calls `words` for the text of a
 * new timer
 */
function openTimer(onDeadline: () => void): (due: string | undefined, words: (due: string) => string) => void {
  let current: { readonly due: string; readonly scope: CancellationScope } | undefined;
  return (due, words) => {
    if (due === current?.due) return;
    current?.scope.cancel();
    const scope = openScope();
    const timer = due === undefined ? undefined : { due, scope };
    current = timer;
    if (due === undefined) return;
    const wait = Math.max(1, Date.parse(due) - Date.now());
    scope
      .run(() => sleep(wait, { summary: words(due) }))
      .then(
        () => {
          if (current !== timer) return;
          current = undefined;
          onDeadline();
        },
        // A timer for another deadline replaced this timer.
        () => undefined,
      );
  };
}

/** Counts ended nodes. @returns a function that adds the nodes that ended since its last call to the metrics */
function nodeCounter(run: ReadonlyRun): () => void {
  const count = counter(METRICS.nodes);
  let before = endsOf(run);
  return () => {
    const ends = endsOf(run);
    for (const end of NODE_ENDS) {
      // An edit or a retry reopens ended nodes, so the count can decrease.
      const more = (ends[end] ?? 0) - (before[end] ?? 0);
      if (more > 0) count(more, { end });
    }
    before = ends;
  };
}

function countRun({ state: { approval } }: ReadonlyRun): void {
  counter(METRICS.runs)(1, { outcome: approval.closed?.outcome ?? 'unknown' });
}

function endsOf({ execution }: ReadonlyRun): Readonly<Partial<Record<NodeStatus, number>>> {
  return { ...execution?.progress.counts };
}

function counter({ name, tells }: Metric) {
  const made = metricMeter.createCounter(madeAs({ name }), '', tells);
  return (value: number, tags: Readonly<Record<string, string>>) => made.add(value, tags);
}
