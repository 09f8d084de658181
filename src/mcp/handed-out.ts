/**
 * The runs that a host may name: those that `run_plan` has started, which have a mark at the server, so that a host that comes back
 * after a day, to another process, is still let in. Their ids have 128 random bits: a host guesses those of no other host.
 */

import { randomBytes } from 'node:crypto';
import { checkRunName, OperationError, type Plans } from '../operations/index.ts';
import { oneLine, cutCharacters } from '../plan/text/index.ts';
import { openWord } from '../client/reach/index.ts';

export interface HandedOut {
  /** Options of a start by which its run may be named afterwards. */
  mark(): { readonly once: string; readonly memo: Readonly<Record<string, unknown>> };
  /** A run that was started with the mark. */
  add(workflowId: string): void;
  /** The ids that this process has handed out, the newest first, at most 100. */
  readonly ids: readonly string[] | undefined;
  /** @throws OperationError NO_RUN, the same of a run that there is and of one that there is not */
  check(workflowId: string): Promise<string>;
}

/** The memo of a run, kept when it goes on in a new history. */
const MARK = 'mcp';
const ANSWER_MS = 5000;
const RANDOM_BYTES = 16;
/** Runs that `list` tells a host of. */
const MOST_LISTED = 100;
/** An id that a host names. */
const MOST_CHARACTERS = 250;
/** Such an id, as an error names it. */
const SHOWN = 80;

/** @param anyRun the operator lets the host name every run of the namespace */
export function createHandedOut(plans: Pick<Plans, 'session'>, anyRun: boolean): HandedOut {
  const ids: string[] = [];
  return {
    mark: () => ({ once: randomBytes(RANDOM_BYTES).toString('hex'), memo: { startedThrough: openWord(MARK) } }),
    add(id) {
      ids.unshift(id);
      ids.splice(MOST_LISTED);
    },
    get ids() {
      return anyRun ? undefined : ids;
    },
    async check(workflowId) {
      checkRunName(workflowId);
      const isShort = workflowId.length <= MOST_CHARACTERS;
      if (isShort && (anyRun || ids.includes(workflowId) || (await isMarked(plans, workflowId)))) return workflowId;
      const named = cutCharacters(oneLine(workflowId), SHOWN);
      throw new OperationError('NO_RUN', `this host was handed no run ${named}; run_plan starts one and gives its id`);
    },
  };
}

/** The run of an agent is reached with the run that it works for, which the server names. */
async function isMarked(plans: Pick<Plans, 'session'>, workflowId: string): Promise<boolean> {
  const { client } = await plans.session();
  try {
    const { memo, raw } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    if (memo?.['startedThrough'] === MARK) return true;
    const root = raw.workflowExecutionInfo?.rootExecution?.workflowId ?? workflowId;
    return root !== workflowId && (await isMarked(plans, root));
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw new OperationError('NO_SERVER', `the server does not tell of run ${oneLine(workflowId)}; try again`, {
      cause: error,
    });
  }
}
