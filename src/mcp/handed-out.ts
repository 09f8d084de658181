/**
 * The runs that a host may name. An id that is handed out has 128 random bits, so that it proves by itself that its holder was
 * handed it: a host that comes back after a day, to another process of the server, is still let in.
 */

import { randomBytes } from 'node:crypto';
import { OperationError } from '../operations/index.ts';
import { oneLine, cutCharacters } from '../language/text/index.ts';
import { planWorkflowId } from '../wire/contract/index.ts';

export interface HandedOut {
  /** The id of a run that is about to be started. */
  fresh(goal: string): string;
  /** The ids that this process has handed out, the newest first, at most 100. */
  readonly ids: readonly string[] | undefined;
  /** @throws OperationError NO_RUN, the same of a run that there is and of one that there is not */
  check(workflowId: string): string;
}

const RANDOM_BYTES = 16;
/** The run itself, or an agent of it, whose id goes on behind a dot. */
const UNGUESSABLE = /-[0-9a-f]{32}(?:\.[\w.-]+)?$/;
const MOST_LISTED = 100;
const MOST_CHARACTERS = 250;
const SHOWN = 80;

/** @param anyRun the operator lets the host name every run of the namespace */
export function createHandedOut(anyRun: boolean): HandedOut {
  const ids: string[] = [];
  return {
    fresh(goal) {
      const id = planWorkflowId(goal, randomBytes(RANDOM_BYTES).toString('hex'));
      ids.unshift(id);
      ids.splice(MOST_LISTED);
      return id;
    },
    get ids() {
      return anyRun ? undefined : ids;
    },
    check(workflowId) {
      if (workflowId.length <= MOST_CHARACTERS && (anyRun || UNGUESSABLE.test(workflowId))) return workflowId;
      const named = cutCharacters(oneLine(workflowId), SHOWN);
      throw new OperationError('NO_RUN', `this host was handed no run ${named}; run_plan starts one and gives its id`);
    },
  };
}
