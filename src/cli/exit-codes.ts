/** What the program's exit says. docs/cli.md repeats these tables; a test compares. */

import type { Outcome } from '../wire/contract/index.ts';

export const EXIT_CODES = {
  done: { code: 0, meaning: 'done, or going on as it should' },
  badOutcome: { code: 1, meaning: 'ran with a bad outcome: failed, partial, expired, aborted' },
  usage: { code: 2, meaning: 'wrong usage, or something it stands on is missing: file, server, worker, store' },
  planInvalid: { code: 3, meaning: 'the plan is invalid' },
  waiting: { code: 4, meaning: 'waiting for a person' },
  rejected: { code: 5, meaning: 'rejected, cancelled or killed by a person' },
  stale: { code: 6, meaning: 'stale: decided already, or the decision names another plan' },
  timeout: { code: 124, meaning: 'the time that was allowed ran out' },
  interrupted: { code: 130, meaning: 'interrupted with Ctrl-C' },
} as const;

export type ExitName = keyof typeof EXIT_CODES;

/** Every `error.code` the program prints, with its exit. */
export const ERROR_EXITS = {
  USAGE: 'usage',
  NO_SUCH_FILE: 'usage',
  NOT_A_FILE: 'usage',
  NOT_READABLE: 'usage',
  NO_CONFIG: 'usage',
  CONFIG_INVALID: 'usage',
  NO_DEMO: 'usage',
  PLAN_INVALID: 'planInvalid',
  INPUT_INVALID: 'usage',
  NO_SERVER: 'usage',
  NO_NAMESPACE: 'usage',
  NO_WORKER: 'usage',
  NO_RUN: 'usage',
  ALREADY_STARTED: 'usage',
  REFUSED: 'usage',
  UNCLEAR: 'waiting',
  QUESTION: 'waiting',
  STALE: 'stale',
  RUN_CLOSED: 'stale',
  NO_NODE: 'usage',
  NO_RESULT: 'badOutcome',
  NOT_IN_STORE: 'usage',
  STORE_FAULT: 'usage',
  FALLBACK: 'badOutcome',
  RUN_PARTIAL: 'badOutcome',
  RUN_REJECTED: 'rejected',
  RUN_EXPIRED: 'badOutcome',
  RUN_ABORTED: 'badOutcome',
  RUN_KILLED: 'rejected',
  RUN_FAILED: 'badOutcome',
  RUN_CANCELLED: 'rejected',
  RUN_TERMINATED: 'badOutcome',
  RUN_TIMED_OUT: 'badOutcome',
  PORT_IN_USE: 'usage',
  DATABASE_IN_USE: 'usage',
  TASK_QUEUE_IN_USE: 'usage',
  DEV_SERVER: 'usage',
  TIMEOUT: 'timeout',
  INTERRUPTED: 'interrupted',
  INTERNAL: 'usage',
} as const satisfies Record<string, ExitName>;

export type ErrorCode = keyof typeof ERROR_EXITS;

/** What became of a run: what it says itself, or that the server ended it. */
export type Ended = Outcome | 'terminated' | 'timed-out';

/** What became of a run, and who ended it at once where a person did. */
export interface HowEnded {
  readonly outcome: Ended;
  readonly by?: string;
}

const OUTCOME_EXITS: Readonly<Record<Ended, ExitName>> = {
  done: 'done',
  partial: 'badOutcome',
  rejected: 'rejected',
  expired: 'badOutcome',
  aborted: 'badOutcome',
  failed: 'badOutcome',
  cancelled: 'rejected',
  terminated: 'badOutcome',
  'timed-out': 'badOutcome',
};

/** How the program exits after a run that ended so: to be killed by a person is no fault of the run. */
export function exitOf({ outcome, by }: HowEnded): number {
  return exitCode(outcome === 'aborted' && by !== undefined ? 'rejected' : OUTCOME_EXITS[outcome]);
}

export function exitCode(name: ExitName): number {
  return EXIT_CODES[name].code;
}
