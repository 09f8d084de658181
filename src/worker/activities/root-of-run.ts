/** The run at the root of a family: an agent's run works for it, and was let begin by its start. */

import { getClient } from '@temporalio/activity';
import { messageOf } from '../../language/text/index.ts';
import { HeldBack } from './begin-effect.ts';
import type { AskedRun } from './gate.ts';

/** How the server names the root of a run. */
export type RootOf = (run: AskedRun) => Promise<string>;

const ANSWER_MS = 15_000;

/** A run without a parent is its own root. */
export const rootByServer: RootOf = async ({ workflowId, runId }) => {
  const client = getClient();
  const { raw } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () =>
    client.workflow.getHandle(workflowId, runId).describe(),
  );
  return raw.workflowExecutionInfo?.rootExecution?.workflowId ?? workflowId;
};

/** What the server does not say now, it says when the effect is tried again. @throws HeldBack */
export function rootOrHeldBack(rootOf: RootOf, run: AskedRun | undefined): Promise<string> {
  if (run === undefined) return Promise.resolve('');
  return rootOf(run).catch((error: unknown) => {
    throw new HeldBack(`the server does not say for which run it works (${messageOf(error)})`);
  });
}
