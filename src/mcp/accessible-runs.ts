/**
 * The runs that a host may name: those started by `run_plan`. They have a mark at the server, so a host that returns
 * a day later, to another process, keeps access. Ids have 128 random bits, so hosts cannot guess each other's.
 */

import { randomBytes } from 'node:crypto';
import { checkRunName, OperationError, type Plans } from '../operations/index.ts';
import { oneLine, cutCharacters } from '../plan/text/index.ts';
import { openWord } from '../client/reach/index.ts';

export interface AccessibleRuns {
  /** Start options that give the host access to the run. */
  mark(): { readonly once: string; readonly memo: Readonly<Record<string, unknown>> };
  add(workflowId: string): void;
  /** Ids that this process handed out, newest first, at most 100. */
  readonly ids: readonly string[] | undefined;
  /** @throws OperationError NO_RUN, whether or not the run exists */
  check(workflowId: string): Promise<string>;
}

/** A memo key; memos survive continue-as-new. */
const MARK = 'mcp';
const ANSWER_MS = 5000;
const RANDOM_BYTES = 16;
/** In an answer of `list`. */
const MOST_LISTED = 100;
/** Of an id from a host. */
const MOST_CHARACTERS = 250;
/** Characters of a wrong id in an error. */
const SHOWN = 80;

/** @param anyRun the host may name every run of the namespace */
export function createAccessibleRuns(plans: Pick<Plans, 'session'>, anyRun: boolean): AccessibleRuns {
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

/** An agent's run is accessible with its root, which the server knows. */
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
