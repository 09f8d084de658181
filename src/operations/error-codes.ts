/** Every error code with its exit, and the mapping from errors to codes. */

import type { DraftErrorCode } from '../capabilities/builtin/drafts/index.ts';
import type { ClientErrorCode } from '../client/index.ts';
import type { ProjectErrorCode } from '../config/project/index.ts';
import type { EncryptionErrorCode } from '../protocol/encryption/index.ts';
import type { StoreError } from '../store/index.ts';

/** The build writes them into docs/cli.md. */
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

interface Code {
  readonly exit: ExitName;
  /**
   * Codes of other folders that are reported as this code. Its own name in lower case is implied (`no-run` for
   * `NO_RUN`). A capitalized entry is the name of an error class.
   */
  readonly also?: readonly string[];
}

/** The `error.code` of `planwright ... -o json`, with the exit of the program. */
export const ERROR_CODES = {
  /** The command was typed wrongly. @fix Look at `--help`. */
  USAGE: { exit: 'usage', also: ['ambiguous'] },
  /** There is no such file. @fix Name another. */
  NO_SUCH_FILE: { exit: 'usage' },
  /** The path is a folder or a device. @fix Name a file. */
  NOT_A_FILE: { exit: 'usage' },
  /** The file cannot be read. @fix Look at its permissions. */
  NOT_READABLE: { exit: 'usage' },
  /**
   * The command needs a configuration and there is none. @fix `planwright init`, `--config FILE` or `--demo
   * gene-strategies`.
   */
  NO_CONFIG: { exit: 'usage' },
  /** The configuration does not fit. @fix Mend the fields that are named. */
  CONFIG_INVALID: {
    exit: 'usage',
    also: ['invalid-config', 'ConfigError', 'invalid-keys'],
  },
  /**
   * It is encrypted, and its key is not here, or does not open it. @fix Give the config the `encryption` of the
   * others, and the environment its keys: docs/encryption.md.
   */
  NO_KEY: {
    exit: 'usage',
    also: ['wrong-key'],
  },
  /** There is no such demo. @fix Use one that is listed. */
  NO_DEMO: { exit: 'usage' },
  /** The plan has issues; all are listed. @fix Mend them. */
  PLAN_INVALID: {
    exit: 'planInvalid',
    also: ['invalid-plan', 'draft-invalid'],
  },
  /** What a command reads does not fit. @fix Follow the message. */
  INPUT_INVALID: {
    exit: 'usage',
    also: [
      'invalid-input',
      'CaseFileError',
      'IdentityError',
      'invalid-entry',
      'draft-plan-required',
      'draft-not-found',
      'artifact-not-found',
    ],
  },
  /**
   * A package that the command needs beside planwright is not installed: of Temporal, or of MCP. @fix The `npm
   * install` of the message.
   */
  NOT_INSTALLED: { exit: 'usage' },
  /**
   * No Temporal server answers at `TEMPORAL_ADDRESS`, else 127.0.0.1:7233. @fix `planwright dev`, or the variables of
   * docs/operations.md#the-server.
   */
  NO_SERVER: { exit: 'usage' },
  /** The server does not have the namespace. @fix `temporal operator namespace create -n NAME`, or name another. */
  NO_NAMESPACE: { exit: 'usage' },
  /**
   * No worker asks the run's queue, which the message names; nothing is lost. @fix `planwright worker` beside the
   * config.
   */
  NO_WORKER: { exit: 'usage' },
  /** There is no such run. @fix `planwright list`. */
  NO_RUN: { exit: 'usage' },
  /** There is a run of this id. @fix Choose another `--workflow-id`, or `--new-run` where it has closed. */
  ALREADY_STARTED: { exit: 'usage' },
  /** The run refuses the decision. @fix Follow the reason: `--role ROLE`, `--key FILE`, another value. */
  REFUSED: { exit: 'usage' },
  /** What was said is neither yes nor no, and nothing was sent. @fix Say it in one of the words that are named. */
  UNCLEAR: { exit: 'waiting' },
  /** The planner has a question and nobody can be asked. @fix Type the printed command, with the answer. */
  QUESTION: { exit: 'waiting' },
  /**
   * The decision names a plan that is not open any more, or another decision was first.
   * @fix `planwright status RUN` for the open digest; look, then decide.
   */
  STALE: { exit: 'stale', also: ['stale-draft'] },
  /** The run has ended. @fix Nothing. */
  RUN_CLOSED: { exit: 'stale' },
  /** The plan has no such node. @fix Use a node of `planwright status --nodes`. */
  NO_NODE: { exit: 'usage' },
  /** There is no result to show. @fix Look at `planwright status`. */
  NO_RESULT: { exit: 'badOutcome' },
  /**
   * The store that was looked in lacks the result. @fix `--store DIR`, `--config FILE` or `PLANWRIGHT_STORE` as of the
   * worker.
   */
  NOT_IN_STORE: { exit: 'usage', also: ['not-found'] },
  /** The store cannot be used. @fix Follow the message. */
  STORE_FAULT: {
    exit: 'usage',
    also: ['invalid-ref', 'corrupt', 'unreadable', 'unwritable'],
  },
  /** `store gc` cannot tell what the store may do without, and has removed nothing. @fix Follow the message. */
  NOT_CLEARED: {
    exit: 'usage',
    also: ['Unsure'],
  },
  /** The planner failed: the printed plan is a fallback that no model made. @fix Follow the reason, and plan again. */
  FALLBACK: { exit: 'badOutcome' },
  /** The run ended with a part of its results. @fix Look at what is missing. */
  RUN_PARTIAL: { exit: 'badOutcome' },
  /** A person rejected the plan. @fix Nothing. */
  RUN_REJECTED: { exit: 'rejected' },
  /** Nobody decided in time. @fix Start it again. */
  RUN_EXPIRED: { exit: 'badOutcome' },
  /** The run was aborted. @fix Look at `planwright status`. */
  RUN_ABORTED: { exit: 'badOutcome' },
  /**
   * A person killed the run; the message says who and why, as do `by` and `comment`. @fix Nothing, or start it again.
   */
  RUN_KILLED: { exit: 'rejected' },
  /** The run failed. @fix Look at the failed nodes. */
  RUN_FAILED: { exit: 'badOutcome', also: ['not-done', 'failed'] },
  /** The run was cancelled. @fix Nothing. */
  RUN_CANCELLED: { exit: 'rejected' },
  /** The run was terminated on the server. @fix Nothing. */
  RUN_TERMINATED: { exit: 'badOutcome' },
  /** The server ended the run for its time. @fix Start it again. */
  RUN_TIMED_OUT: { exit: 'badOutcome' },
  /** The port that was asked for is taken. @fix Name another. */
  PORT_IN_USE: { exit: 'usage' },
  /**
   * Another process uses the database file, such as a dev server that outlived a `planwright dev` killed with SIGKILL.
   * @fix Use it, without `--db` and `--port`; else stop the named process, or name another file.
   */
  DATABASE_IN_USE: { exit: 'usage' },
  /**
   * A worker with other capabilities, identity keys or approval rules polls the task queue. @fix A `taskQueue` of its
   * own in `planwright.config.ts`; `--force` in a rolling deployment.
   */
  TASK_QUEUE_IN_USE: { exit: 'usage' },
  /**
   * Another program has been this build of the deployment: another version of planwright, or other capabilities, keys
   * or rules. @fix A `--build` of its own for each release; `--force` where no open run is pinned to the other one.
   */
  BUILD_TAKEN: { exit: 'usage' },
  /** The dev server cannot be had. @fix Follow the message. */
  DEV_SERVER: { exit: 'usage' },
  /** The time that `--timeout` allowed ran out; the run goes on. @fix Ask again later. */
  TIMEOUT: { exit: 'timeout' },
  /** Ctrl-C; the run goes on. @fix `planwright status`. */
  INTERRUPTED: { exit: 'interrupted' },
  /** A fault of this program. @fix Report it with the line that is printed. */
  INTERNAL: { exit: 'usage', also: ['no-client', 'ClientError unreadable'] },
} as const satisfies Readonly<Record<string, Code>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes of other folders. A code that no row maps does not compile. */
type Inner = ClientErrorCode | EncryptionErrorCode | StoreError['code'] | ProjectErrorCode | DraftErrorCode;
type Lower<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}-${Lower<Rest>}`
  : Lowercase<Name>;
type Also = Extract<(typeof ERROR_CODES)[ErrorCode], { readonly also: readonly string[] }>['also'][number];
type Placed = Inner extends Lower<ErrorCode> | Also ? string : never;

const NAMES: ReadonlyMap<string, ErrorCode> = new Map<Placed, ErrorCode>(
  (Object.entries(ERROR_CODES) as [ErrorCode, Code][]).flatMap(([code, { also = [] }]) =>
    [code.toLowerCase().replaceAll('_', '-'), ...also].map((name) => [name, code] as const),
  ),
);

/**
 * The code for an error, by its `name` and `code`: to import the classes would load the SDK.
 * @example codeOf({ name: 'ClientError', code: 'no-run' }); // 'NO_RUN'
 */
export function codeOf({ name, code }: { readonly name: string; readonly code?: unknown }): ErrorCode | undefined {
  if (typeof code !== 'string') return NAMES.get(name);
  return NAMES.get(`${name} ${code}`) ?? NAMES.get(code);
}
