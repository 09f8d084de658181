/** A run goes on in a new history, with all it knows: what it hands over, and how it is taken up there. */

import { continueAsNew, type ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isRecord, pagesOf, type Carried, type Resume, type RunSlice } from '../contract/index.ts';
import {
  forgetTokens,
  note,
  noteStored,
  pagesToStore,
  putOff,
  receive,
  resumeRun,
  snapshotOf,
  SNAPSHOT_VERSION,
  type Run,
} from '../run/index.ts';
import { byteLength } from '../text/index.ts';
import { NewerSnapshot, toApplicationFailure } from './failures.ts';
import type { Post } from './post.ts';
import { now } from './now.ts';
import { loadPages, reasonOf, savePages } from './reach.ts';

/** Of UTF-16 code units. What is shorter travels in the input of the new history. */
const INLINE = 64 * 1024;

/**
 * What has arrived while the snapshot was stored travels beside it, up to so many bytes of JSON: the server takes 2 MB in the
 * input of a history.
 */
const MAX_LATE_BYTES = 512 * 1024;

/**
 * Throws what ends this history; returns when the store could not take what is to be carried over, and when so much has
 * arrived meanwhile that the run has to take it in first.
 */
export async function goOn(run: Run, post: Post): Promise<void> {
  let resume: Resume;
  try {
    resume = await handOver(run);
  } catch (error) {
    putOff(run, now());
    note(run, now(), 'refused', `the store took no snapshot: ${reasonOf(error)}`);
    return;
  }
  // The run whose task this is may have been killed while it was stored.
  if (run.dialogue.killed !== undefined) return;
  // Others may have spoken while it was stored.
  const late = post.undelivered();
  if (byteLength(JSON.stringify(late)) > MAX_LATE_BYTES) return;
  await continueAsNew({ resume: { ...resume, ...(late.length > 0 && { late }) } });
}

async function handOver(run: Run): Promise<Resume> {
  const { execution } = run;
  forgetTokens(run, now());
  const { trace } = run.dialogue;
  for (const page of pagesToStore(trace, INLINE)) {
    const [ref = ''] = await savePages([JSON.stringify(page)]);
    noteStored(trace, page, ref);
  }
  const slice = execution === undefined ? undefined : JSON.stringify(execution.slice);
  if (execution !== undefined && slice !== undefined && slice.length > INLINE) {
    execution.pages ??= await savePages(pagesOf(slice));
  }
  const snapshot = await carried(snapshotOf(run));
  const stored = execution?.pages;
  return {
    version: SNAPSHOT_VERSION,
    snapshot,
    ...(slice !== undefined && { slice: stored === undefined ? { text: slice } : { pages: stored } }),
  };
}

async function carried(text: string): Promise<Carried> {
  return text.length <= INLINE ? { text } : { pages: await savePages(pagesOf(text)) };
}

/** Whether this input was made by a run for the history in which it goes on. */
export function isResume(input: unknown): input is { readonly resume: Resume } {
  return isRecord(input) && 'resume' in input;
}

/**
 * Takes up a run where it left off.
 * @throws ApplicationFailure `InvalidInput` where no run goes on, `ResultCorrupt` when what was carried over is not there;
 *   NewerSnapshot when a newer build has written it
 */
export async function takeUp({ resume }: { readonly resume: Resume }): Promise<Run> {
  const { workflowId, continuedFromExecutionRunId } = workflowInfo();
  if (continuedFromExecutionRunId === undefined)
    throw invalid('resume: only a run that goes on has one; send { "goal", "plan" }');
  const { version, snapshot, slice, late = [] } = resume;
  if (version > SNAPSHOT_VERSION) {
    throw new NewerSnapshot(
      `a newer build of planwright wrote the snapshot of this run (version ${version}, this worker reads ${SNAPSHOT_VERSION}); start a worker of that build`,
    );
  }
  try {
    const [text, plan] = [await fetched(snapshot), slice === undefined ? undefined : await fetched(slice)];
    const run = resumeRun(workflowId, text, plan === undefined ? undefined : (JSON.parse(plan) as RunSlice));
    for (const arrival of late) {
      const id = receive(run, arrival);
      if (arrival.update !== undefined) run.carried.set(arrival.update, id);
    }
    return run;
  } catch (error) {
    const message =
      `what the run carried over cannot be read (${reasonOf(error)}); restore the result store, then take the run up again ` +
      `with: temporal workflow reset -w ${workflowId} --type FirstWorkflowTask --reason "the store is restored"`;
    throw toApplicationFailure({ type: 'ResultCorrupt', message, details: [] });
  }
}

async function fetched(what: Carried): Promise<string> {
  return 'text' in what ? what.text : loadPages(what.pages);
}

function invalid(message: string): ApplicationFailure {
  return toApplicationFailure({ type: 'InvalidInput', message, details: [{ problems: [message] }] });
}
