/** A run and the agents that work for it, followed to the end; what waits for a person on the way is decided by one. */

import { setTimeout as pause } from 'node:timers/promises';
import type { JsonValue } from 'planwright';
import { ClientError, type OpenItem, type RunEnd, type RunHandle, type RunStatus } from 'planwright/client';
import { StoryError, type Stage } from '../stage/index.ts';
import { createCallTeller } from './call-teller.ts';
import { ASSUME } from './goal-run.ts';
import { readModelLedger, type ModelEntry } from './model-ledger.ts';

interface FollowOptions {
  readonly by: string;
  /** Asked once for each plan that waits: of the run, or of a step of an agent. */
  decide(item: OpenItem, run: RunHandle): Promise<'approve' | 'reject'>;
  /** The person's answer to a question. Default: assume. */
  answer?(item: OpenItem): JsonValue;
  /** Sees the model ledger at every turn. */
  look?(ledger: readonly ModelEntry[]): Promise<void>;
}

/** A moment between two words of a worker is short. */
const POLL_MS = 10;
/** How often the run is asked whether somebody is waited for. */
const ASK_MS = 200;
/** A real model may take minutes for a step, and an agent twenty steps. */
const ENDED_WITHIN_MS = 60 * 60 * 1000;

export async function followRun(
  stage: Stage,
  run: RunHandle,
  { by, decide, answer, look }: FollowOptions,
): Promise<RunEnd> {
  const { plans, modelFile, signal } = stage;
  const tell = createCallTeller(stage);
  const before = readModelLedger(modelFile).length;
  const decided = new Set<string>();
  let isSettling = false;
  let askAt = 0;
  let failure: { readonly error: unknown } | undefined;
  let ended: { readonly end: RunEnd } | { readonly error: unknown } | undefined;
  run.end(signal).then(
    (end) => (ended = { end }),
    (error: unknown) => (ended = { error }),
  );
  for (const deadline = Date.now() + ENDED_WITHIN_MS; ;) {
    // The order matters: of a run that has ended everything is told.
    const over = ended;
    const ledger = readModelLedger(modelFile).slice(before);
    tell(ledger);
    if (over !== undefined) {
      if ('error' in over) throw over.error;
      return over.end;
    }
    await look?.(ledger);
    if (failure !== undefined) throw failure.error;
    // A person may take minutes to decide, and the story goes on meanwhile.
    if (!isSettling && Date.now() >= askAt) void settleAll();
    if (Date.now() > deadline) throw new StoryError('failed', 'the run has not ended within an hour');
    await pause(POLL_MS, undefined, { signal });
  }

  async function settleAll(): Promise<void> {
    isSettling = true;
    try {
      for (const workflowId of await waitingRuns(run)) await settle(plans.run(workflowId));
    } catch (error) {
      failure = { error };
    }
    isSettling = false;
    askAt = Date.now() + ASK_MS;
  }

  async function settle(waiting: RunHandle): Promise<void> {
    for (const item of (await waiting.view(['open'])).open) {
      const { id, kind, digest, workflowId, text } = item;
      const mark = `${workflowId} ${digest} ${id}`;
      if (workflowId !== waiting.workflowId || decided.has(mark)) continue;
      decided.add(mark);
      if (kind === 'approval') await waiting.decide({ kind: await decide(item, waiting), digest, by });
      else if (kind === 'question') {
        // Null is an answer: whoever is asked does not know.
        const said = answer?.(item);
        await waiting.answer({ question: id, digest, value: said === undefined ? ASSUME : said, by });
      } else throw new StoryError('failed', `the run waits for what this demo has nobody for: ${text}`);
    }
  }
}

/** The run and its agents, as far as something waits for a person there. While no worker answers nobody is asked. */
async function waitingRuns(run: RunHandle): Promise<readonly string[]> {
  let status: RunStatus;
  try {
    status = (await run.view(['status'])).status;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-worker') return [];
    throw error;
  }
  const { waitingFor, children = [] } = status;
  const agents = children.filter((child) => child.waitingFor > 0).map(({ workflowId }) => workflowId);
  return waitingFor > 0 ? [run.workflowId, ...agents] : agents;
}
