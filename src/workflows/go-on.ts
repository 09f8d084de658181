/** A run continues as new, with all it knows: the state that it hands over, and how the next history resumes it. */

import { makeContinueAsNewFunc, sleep, type ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isRecord, type Carried, type Resume, type RunSlice } from '../protocol/index.ts';
import { handOver, resumeRun, STATE_VERSION, type HandedOver, type Run, type RunState } from './run/index.ts';
import { NewerSnapshot, toApplicationFailure } from './failures.ts';
import type { Mailbox } from './mailbox.ts';
import { now } from './now.ts';
import { loadPages, reasonOf, savePages } from './reach.ts';
import { onNewestBuild } from './sdk/newest-build.ts';

/** Throws what ends this history. Returns where the run has to take something in first: it stands in line. */
export async function goOn(run: Run, mailbox: Mailbox): Promise<void> {
  let end: HandedOver;
  try {
    end = await walk(run, mailbox);
  } catch (error) {
    mailbox.put({ is: 'not-stored', reason: reasonOf(error), at: now() });
    return;
  }
  if ('resume' in end) await makeContinueAsNewFunc(onNewestBuild())(end);
  else mailbox.put({ is: 'stored', ...end, at: now() });
}

async function walk(run: Run, mailbox: Mailbox): Promise<HandedOver> {
  const steps = handOver(run, () => mailbox.undelivered());
  for (let step = steps.next(); ;) {
    if (step.done === true) return step.value;
    if (step.value !== 'pause') step = steps.next(await savePages(run.dialogue.chain, step.value.save));
    else {
      await sleep(1, { summary: 'more messages may be on their way' });
      step = steps.next([]);
    }
  }
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
  const { version, chain, state, slice, late } = resume;
  if (version > STATE_VERSION) {
    throw new NewerSnapshot(
      `a newer build of planwright wrote the snapshot of this run (version ${version}, this worker reads ${STATE_VERSION}); start a worker of that build`,
    );
  }
  try {
    const plan = slice && ((await fetched(chain, slice)) as RunSlice);
    return resumeRun(workflowId, (await fetched(chain, state)) as RunState, plan, late, slice);
  } catch (error) {
    const message =
      `what the run carried over cannot be read (${reasonOf(error)}); restore the result store, then take the run up again ` +
      `with: temporal workflow reset -w ${workflowId} --type FirstWorkflowTask --reason "the store is restored"`;
    throw toApplicationFailure({ type: 'ResultCorrupt', message, details: [] });
  }
}

async function fetched(chain: string, what: Carried): Promise<unknown> {
  return 'value' in what ? what.value : JSON.parse(await loadPages(chain, what.pages));
}

export function invalid(message: string): ApplicationFailure {
  return toApplicationFailure({ type: 'InvalidInput', message, details: [{ problems: [message] }] });
}
