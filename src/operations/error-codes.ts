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
   * Codes of other folders that map to this code. The code in lower case (`no-run` for `NO_RUN`) always does. A
   * capitalized entry is the name of an error class.
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
  /** The configuration is invalid. @fix Correct the fields that the message names. */
  CONFIG_INVALID: {
    exit: 'usage',
    also: ['invalid-config', 'ConfigError', 'invalid-keys'],
  },
  /**
   * The data are encrypted, and the key is missing or does not decrypt them. @fix Use the workers' `encryption` in the
   * config, and its keys in the environment: docs/encryption.md.
   */
  NO_KEY: {
    exit: 'usage',
    also: ['wrong-key'],
  },
  /** There is no such demo. @fix Use one that is listed. */
  NO_DEMO: { exit: 'usage' },
  /** The plan has issues, all of which are listed. @fix Correct them. */
  PLAN_INVALID: {
    exit: 'planInvalid',
    also: ['invalid-plan', 'draft-invalid'],
  },
  /** The input of a command is invalid. @fix Follow the message. */
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
   * A package that the command needs besides planwright is not installed: of Temporal, or of MCP. @fix Run the `npm
   * install` of the message.
   */
  NOT_INSTALLED: { exit: 'usage' },
  /**
   * No Temporal server answers at `TEMPORAL_ADDRESS`, by default 127.0.0.1:7233. @fix Run `planwright dev`, or set the
   * variables of docs/operations.md#the-server.
   */
  NO_SERVER: { exit: 'usage' },
  /** The server does not have the namespace. @fix `temporal operator namespace create -n NAME`, or name another. */
  NO_NAMESPACE: { exit: 'usage' },
  /**
   * No worker polls the run's task queue, which the message names. Nothing is lost. @fix Run `planwright worker` beside
   * the config.
   */
  NO_WORKER: { exit: 'usage' },
  /** There is no such run. @fix `planwright list`. */
  NO_RUN: { exit: 'usage' },
  /** A run with this id exists. @fix Choose another `--workflow-id`, or add `--new-run` if the run has closed. */
  ALREADY_STARTED: { exit: 'usage' },
  /** The run refuses the decision. @fix Follow the reason: `--role ROLE`, `--key FILE`, another value. */
  REFUSED: { exit: 'usage' },
  /** The answer is neither yes nor no, and nothing was sent. @fix Use one of the words in the message. */
  UNCLEAR: { exit: 'waiting' },
  /** The planner has a question, and there is no terminal. @fix Type the printed command, with the answer. */
  QUESTION: { exit: 'waiting' },
  /**
   * The decision is about a plan that is no longer open, or another decision came first.
   * @fix Find the open digest with `planwright status RUN`, look at the plan, then decide.
   */
  STALE: { exit: 'stale', also: ['stale-draft'] },
  /** The run has ended. @fix Nothing; `planwright run --reuse RUN` goes on from what it finished. */
  RUN_CLOSED: { exit: 'stale' },
  /** The plan does not have this node. @fix Use a node of `planwright status --nodes`. */
  NO_NODE: { exit: 'usage' },
  /** There is no result to show. @fix Look at `planwright status`. */
  NO_RESULT: { exit: 'badOutcome' },
  /**
   * The store does not have the result. @fix Name the worker's store with `--store DIR`, `--config FILE` or
   * `PLANWRIGHT_STORE`.
   */
  NOT_IN_STORE: { exit: 'usage', also: ['not-found'] },
  /** The store cannot be used. @fix Follow the message. */
  STORE_FAULT: {
    exit: 'usage',
    also: ['invalid-ref', 'corrupt', 'unreadable', 'unwritable'],
  },
  /** `store gc` could not find out what is still needed, and has removed nothing. @fix Follow the message. */
  NOT_CLEARED: {
    exit: 'usage',
    also: ['Unsure'],
  },
  /** Planning failed, and the printed plan is a fallback without a model. @fix Follow the reason, and plan again. */
  FALLBACK: { exit: 'badOutcome' },
  /** The run ended with a part of its results. @fix Look at the missing nodes. */
  RUN_PARTIAL: { exit: 'badOutcome' },
  /** A person rejected the plan. @fix Nothing. */
  RUN_REJECTED: { exit: 'rejected' },
  /** Nobody decided in time. @fix Start the run again. */
  RUN_EXPIRED: { exit: 'badOutcome' },
  /** The run was aborted. @fix Look at `planwright status`. */
  RUN_ABORTED: { exit: 'badOutcome' },
  /** A person killed the run; the message, `by` and `comment` say who and why. @fix Nothing, or start it again. */
  RUN_KILLED: { exit: 'rejected' },
  /** The run failed. @fix Look at the failed nodes. */
  RUN_FAILED: { exit: 'badOutcome', also: ['not-done', 'failed'] },
  /** The run was cancelled. @fix Nothing. */
  RUN_CANCELLED: { exit: 'rejected' },
  /** The run was terminated on the server. @fix Nothing. */
  RUN_TERMINATED: { exit: 'badOutcome' },
  /** The server ended the run at its time limit. @fix Start it again. */
  RUN_TIMED_OUT: { exit: 'badOutcome' },
  /** Another program uses the port. @fix Name another. */
  PORT_IN_USE: { exit: 'usage' },
  /**
   * Another process uses the database file, for example a dev server that survived the SIGKILL of its `planwright dev`.
   * @fix Use that server, without `--db` and `--port`. Otherwise stop the process, or name another file.
   */
  DATABASE_IN_USE: { exit: 'usage' },
  /**
   * A worker with other capabilities, identity keys or approval rules polls the task queue. @fix Set another
   * `taskQueue` in `planwright.config.ts`, or use `--force` in a rolling deployment.
   */
  TASK_QUEUE_IN_USE: { exit: 'usage' },
  /** The dev server cannot be installed or started. @fix Follow the message. */
  DEV_SERVER: { exit: 'usage' },
  /** The time of `--timeout` is over; the run continues. @fix Ask again later. */
  TIMEOUT: { exit: 'timeout' },
  /** Somebody pressed Ctrl-C; the run continues. @fix `planwright status`. */
  INTERRUPTED: { exit: 'interrupted' },
  /** A bug in this program. @fix Report it with the printed line. */
  INTERNAL: { exit: 'usage', also: ['no-client', 'ClientError unreadable'] },
} as const satisfies Readonly<Record<string, Code>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes of other folders. A code without a row here is a type error. */
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
 * The code for an error, by its `name` and `code`, since importing the classes would load the SDK.
 * @example codeOf({ name: 'ClientError', code: 'no-run' }); // 'NO_RUN'
 */
export function codeOf({ name, code }: { readonly name: string; readonly code?: unknown }): ErrorCode | undefined {
  if (typeof code !== 'string') return NAMES.get(name);
  return NAMES.get(`${name} ${code}`) ?? NAMES.get(code);
}
