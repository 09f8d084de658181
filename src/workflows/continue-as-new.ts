import { makeContinueAsNewFunc, sleep, type ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isRecord, type Arrival, type Carried, type Resume, type PlanShape } from '../protocol/index.ts';
import { cutCharacters, oneLine } from '../plan/text/index.ts';
import {
  canHandOver,
  lateArrivals,
  makeHandOver,
  restoreRun,
  STATE_VERSION,
  waitText,
  type ReadonlyRun,
  type CarriedState,
} from './run/index.ts';
import { rethrowUnknown, toApplicationFailure } from './failures.ts';
import { type Mailbox, now } from './mailbox.ts';
import { loadJson, failureReason, activities, callSavePages } from './call-activity.ts';
import { onNewestBuild } from './sdk/activations.ts';

/** Ends this history by throwing. Returns only if the run must process arrivals first. */
export async function continueAsNew(run: ReadonlyRun, mailbox: Mailbox): Promise<void> {
  const { pages, stored: from } = makeHandOver(run);
  let refs: readonly string[];
  try {
    refs = await callSavePages(run.state.firstRunId, pages);
  } catch (error) {
    rethrowUnknown(error);
    mailbox.add({ is: 'not-stored', reason: failureReason(error), at: now() });
    return;
  }
  const { resume, stored } = from(refs);
  for (let lastCount = 0, tasks = run.drain.busyTasks ?? 0; ; tasks += 1) {
    const arrivals = mailbox.undelivered();
    const late = lateArrivals(arrivals, lastCount, tasks);
    if (late === 'too-much') return mailbox.add({ is: 'stored', stored, at: now() });
    if (late !== 'more')
      await makeContinueAsNewFunc(onNewestBuild())({ resume: { ...resume, ...(late.length > 0 && { late }) } });
    lastCount = arrivals.length;
    await sleep(1, { summary: 'more messages may be on their way' });
  }
}

export function isResume(input: unknown): input is { readonly resume: Resume } {
  return isRecord(input) && 'resume' in input;
}

/**
 * Restores a run from the state of its previous history. If this build cannot read the state, the workflow task fails
 * until a worker with another build takes it. @param setWaits sets the text that says what the run waits for; undefined
 * if it no longer waits @throws ApplicationFailure `InvalidInput` if the workflow does not continue an earlier history
 */
export async function loadRun(
  { resume }: { readonly resume: Resume },
  mailbox: Mailbox,
  setWaits: (waits: string | undefined) => void,
): Promise<ReadonlyRun> {
  const { workflowId, continuedFromExecutionRunId } = workflowInfo();
  if (continuedFromExecutionRunId === undefined)
    throw invalid('resume: only a run that goes on has one; send { "goal", "plan" }');
  const { version, firstRunId, state, planShape, late = [] } = resume;
  if (version > STATE_VERSION) {
    throw new Error(
      `a newer build of planwright wrote the snapshot of this run (version ${version}, this worker reads ${STATE_VERSION}); start a worker of that build`,
    );
  }
  const plan = planShape && ((await load(planShape)) as PlanShape);
  askForInbox(mailbox);
  return restoreRun(workflowId, (await load(state)) as CarriedState, plan, resume);

  /** Loads a part of the state from the store. Retries without end, since a run that gave up would lose its work. */
  async function load(carried: Carried): Promise<unknown> {
    if ('value' in carried) return carried.value;
    const since = now();
    for (let times = 1; ; times += 1) {
      try {
        const loaded = await loadJson(firstRunId, carried.pages);
        setWaits(undefined);
        return loaded;
      } catch (error) {
        rethrowUnknown(error);
        await pause(times, since, failureReason(error));
      }
    }
  }

  async function pause(times: number, since: string, reason: string): Promise<void> {
    const ms = Math.min(1000 * 2 ** times, MAX_PAUSE_MS);
    const until = new Date(Date.parse(now()) + ms).toISOString();
    const store = `the result store: ${cutCharacters(oneLine(reason), MAX_REASON)}`;
    setWaits(`the run is between two histories and ${waitText(store, since, { attempt: times, until })}`);
    await sleep(ms, { summary: 'the result store is tried again' });
    const all = [...late, ...(mailbox.undelivered() as readonly Arrival[])];
    // Each try adds events, and the server ends a run with too many. So a long wait continues in a new history.
    if (workflowInfo().continueAsNewSuggested && canHandOver(all))
      await makeContinueAsNewFunc(onNewestBuild())({ resume: { ...resume, late: all } });
  }
}

/** Finds out whether the search attribute for inboxes is registered. The run does not wait for the answer. */
function askForInbox(mailbox: Mailbox): void {
  activities.readInbox(undefined, 'Ask whether inboxes are registered').then(
    ({ inbox }) => mailbox.add({ is: 'inbox', inbox, at: now() }),
    () => undefined,
  );
}

const MAX_PAUSE_MS = 60_000;
const MAX_REASON = 300;

export function invalid(message: string): ApplicationFailure {
  return toApplicationFailure({ type: 'InvalidInput', message, details: [{ problems: [message] }] });
}
