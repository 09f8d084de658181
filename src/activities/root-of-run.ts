/** For which run the one of an activity works: it was let begin by the start of that. */

import { Context, getClient } from '@temporalio/activity';
import { messageOf } from '../plan/text/index.ts';
import { RunFailureError } from '../protocol/index.ts';
import { rootAtServer, type Root } from '../protocol/executions.ts';
import { Blocked } from './begin-effect.ts';
import type { AskedRun } from './gate.ts';

export type RootOf = (run: AskedRun) => Promise<Root>;

/** The server's answer about the run that an agent's run works for, before an effect under `notStarter`. */
const ANSWER_MS = 15_000;

export const rootByServer: RootOf = (run) => {
  const { connection, workflow } = getClient();
  return connection.withDeadline(Date.now() + ANSWER_MS, () => rootAtServer(workflow, run));
};

/** If the server does not answer now, the next try of the effect asks again. @throws Blocked */
export function rootOrBlocked(rootOf: RootOf, run: AskedRun | undefined): Promise<Root> {
  if (run === undefined) return Promise.resolve({ workflowId: '' });
  return rootOf(run).catch((error: unknown) => {
    throw new Blocked(`the server does not say for which run it works (${messageOf(error)})`);
  });
}

/**
 * Whoever starts a workflow by hand may name any run in it.
 * @throws RunFailureError `NotApproved` if the server reports another root than the request names; what `rootOf` throws
 */
export async function checkChain(named: string, rootOf: () => Promise<Root>): Promise<void> {
  // The first execution of a run has the id itself.
  if (Context.current().info.workflowExecution?.runId === named) return;
  const { chain = named } = await rootOf();
  if (chain === named) return;
  throw new RunFailureError(
    'NotApproved',
    `its request names the run ${named}, and the server says that it works for ${chain}; nothing was begun`,
  );
}
