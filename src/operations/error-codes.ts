/** Every code that something can fail with, its exit of the program, and the one way from an error to its code. */

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
  readonly meaning: string;
  /** Names of it in the errors of other rooms, beside its own in lower case (`NO_RUN` is `no-run`). A class has a capital. */
  readonly also?: readonly string[];
}

export const ERROR_CODES = {
  USAGE: { exit: 'usage', meaning: 'the command was typed wrongly', also: ['ambiguous'] },
  NO_SUCH_FILE: { exit: 'usage', meaning: 'there is no such file' },
  NOT_A_FILE: { exit: 'usage', meaning: 'the path is a folder or a device' },
  NOT_READABLE: { exit: 'usage', meaning: 'the file cannot be read' },
  NO_CONFIG: { exit: 'usage', meaning: 'the command needs a configuration and there is none' },
  CONFIG_INVALID: {
    exit: 'usage',
    meaning: 'the configuration does not fit',
    also: ['invalid-config', 'ConfigError', 'invalid-keys'],
  },
  NO_KEY: {
    exit: 'usage',
    meaning: 'it is encrypted, and the key is not here or does not open it',
    also: ['wrong-key'],
  },
  NO_DEMO: { exit: 'usage', meaning: 'there is no such demo' },
  PLAN_INVALID: {
    exit: 'planInvalid',
    meaning: 'the plan has issues; all are listed',
    also: ['invalid-plan', 'draft-invalid'],
  },
  INPUT_INVALID: {
    exit: 'usage',
    meaning: 'what a command reads does not fit',
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
  NOT_INSTALLED: { exit: 'usage', meaning: 'a package that the command needs beside this one is not installed' },
  NO_SERVER: { exit: 'usage', meaning: 'no Temporal server answers' },
  NO_NAMESPACE: { exit: 'usage', meaning: 'the server does not have the namespace' },
  NO_WORKER: { exit: 'usage', meaning: 'no worker answers' },
  NO_RUN: { exit: 'usage', meaning: 'there is no such run' },
  ALREADY_STARTED: { exit: 'usage', meaning: 'there is a run of this id' },
  REFUSED: { exit: 'usage', meaning: 'the run refuses the decision' },
  UNCLEAR: { exit: 'waiting', meaning: 'what was said is neither yes nor no, and nothing was sent' },
  QUESTION: { exit: 'waiting', meaning: 'the planner asks, and nobody is there to be asked' },
  STALE: { exit: 'stale', meaning: 'the decision names another plan, or comes second', also: ['stale-draft'] },
  RUN_CLOSED: { exit: 'stale', meaning: 'the run has ended' },
  NO_NODE: { exit: 'usage', meaning: 'the plan has no such node' },
  NO_RESULT: { exit: 'badOutcome', meaning: 'there is no result to show' },
  NOT_IN_STORE: { exit: 'usage', meaning: 'the store that was looked in lacks the result', also: ['not-found'] },
  STORE_FAULT: {
    exit: 'usage',
    meaning: 'the store cannot be used',
    also: ['invalid-ref', 'corrupt', 'unreadable', 'unwritable'],
  },
  NOT_CLEARED: {
    exit: 'usage',
    meaning: 'it cannot be told what the store may do without, and nothing was removed',
    also: ['Unsure'],
  },
  FALLBACK: { exit: 'badOutcome', meaning: 'no model has made the plan that is shown' },
  RUN_PARTIAL: { exit: 'badOutcome', meaning: 'the run ended with a part of its results' },
  RUN_REJECTED: { exit: 'rejected', meaning: 'a person rejected the plan' },
  RUN_EXPIRED: { exit: 'badOutcome', meaning: 'nobody decided in time' },
  RUN_ABORTED: { exit: 'badOutcome', meaning: 'the run was aborted' },
  RUN_KILLED: { exit: 'rejected', meaning: 'a person killed the run; the message says who and why' },
  RUN_FAILED: { exit: 'badOutcome', meaning: 'the run failed', also: ['not-done', 'failed'] },
  RUN_CANCELLED: { exit: 'rejected', meaning: 'the run was cancelled' },
  RUN_TERMINATED: { exit: 'badOutcome', meaning: 'the run was terminated on the server' },
  RUN_TIMED_OUT: { exit: 'badOutcome', meaning: 'the server ended the run for its time' },
  PORT_IN_USE: { exit: 'usage', meaning: 'the port that was asked for is taken' },
  DATABASE_IN_USE: { exit: 'usage', meaning: 'another process uses the database file' },
  TASK_QUEUE_IN_USE: { exit: 'usage', meaning: 'a worker of another project polls the task queue' },
  BUILD_TAKEN: { exit: 'usage', meaning: 'another program has been this build of the deployment' },
  DEV_SERVER: { exit: 'usage', meaning: 'the dev server cannot be had' },
  TIMEOUT: { exit: 'timeout', meaning: 'the time that was allowed ran out; the run goes on' },
  INTERRUPTED: { exit: 'interrupted', meaning: 'Ctrl-C; the run goes on' },
  INTERNAL: { exit: 'usage', meaning: 'a fault of this program', also: ['no-client', 'ClientError unreadable'] },
} as const satisfies Readonly<Record<string, Code>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes of other rooms, each of which has its place above: one that has none does not compile. */
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
 * Known by its class and by its `code`: to look at the classes themselves would load the SDK.
 * @example codeOf({ name: 'ClientError', code: 'no-run' }); // 'NO_RUN'
 */
export function codeOf({ name, code }: { readonly name: string; readonly code?: unknown }): ErrorCode | undefined {
  if (typeof code !== 'string') return NAMES.get(name);
  return NAMES.get(`${name} ${code}`) ?? NAMES.get(code);
}
