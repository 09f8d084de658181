/** A failure of a command that its user can do something about. */

import type { ClientErrorCode } from '../edge/client/index.ts';
import type { DevServerErrorCode } from '../edge/dev-server/index.ts';
import type { PlanIssue } from '../language/plan/index.ts';
import type { ProjectErrorCode } from '../edge/project/index.ts';
import type { StoreError } from '../wire/results/index.ts';
import { asTyped } from './as-typed.ts';
import { ERROR_EXITS, EXIT_CODES, type ErrorCode } from './exit-codes.ts';

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: ErrorCode;
  /** Beside code and message in the JSON form. */
  readonly details: Readonly<Record<string, unknown>>;
  /** `message` says what is wrong and what to do next. */
  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get exitCode(): number {
    return EXIT_CODES[ERROR_EXITS[this.code]].code;
  }
}

export function invalidPlan(issues: readonly PlanIssue[]): CliError {
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  return new CliError('PLAN_INVALID', `the plan has ${errors} problem${errors === 1 ? '' : 's'}`, { issues });
}

/** What is wrong with a plan, where that is what the error is about. */
export function issuesOf({ details }: CliError): readonly PlanIssue[] {
  return Array.isArray(details['issues']) ? (details['issues'] as readonly PlanIssue[]) : [];
}

/** The codes of other rooms as ours. By the names of their classes: importing those would load the SDK for `--help`. */
const CODES: Readonly<Record<string, ErrorCode | Readonly<Record<string, ErrorCode>>>> = {
  ClientError: {
    'no-client': 'INTERNAL',
    unreadable: 'INTERNAL',
    'no-server': 'NO_SERVER',
    'no-worker': 'NO_WORKER',
    'no-namespace': 'NO_NAMESPACE',
    'no-run': 'NO_RUN',
    'run-closed': 'RUN_CLOSED',
    'already-started': 'ALREADY_STARTED',
    'invalid-input': 'INPUT_INVALID',
    'invalid-plan': 'PLAN_INVALID',
    'not-done': 'RUN_FAILED',
    refused: 'REFUSED',
    stale: 'STALE',
  } satisfies Record<ClientErrorCode, ErrorCode>,
  StoreError: {
    'not-found': 'NOT_IN_STORE',
    'invalid-ref': 'STORE_FAULT',
    corrupt: 'STORE_FAULT',
    unreadable: 'STORE_FAULT',
    unwritable: 'STORE_FAULT',
  } satisfies Record<StoreError['code'], ErrorCode>,
  DevServerError: {
    unreachable: 'NO_SERVER',
    'no-server': 'NO_SERVER',
    'no-namespace': 'NO_NAMESPACE',
    'port-in-use': 'PORT_IN_USE',
    'database-in-use': 'DATABASE_IN_USE',
    'cli-path': 'DEV_SERVER',
    'start-failed': 'DEV_SERVER',
  } satisfies Record<DevServerErrorCode, ErrorCode>,
  ProjectError: {
    ambiguous: 'USAGE',
    'invalid-config': 'CONFIG_INVALID',
    'no-demo': 'NO_DEMO',
  } satisfies Record<ProjectErrorCode, ErrorCode>,
  // Of the stage in examples/.
  StoryError: {
    interrupted: 'INTERRUPTED',
    'no-worker': 'NO_WORKER',
    'invalid-plan': 'PLAN_INVALID',
    failed: 'RUN_FAILED',
    'no-result': 'NO_RESULT',
  },
  ConfigError: 'CONFIG_INVALID',
  IdentityError: 'INPUT_INVALID',
};

/** What to type next, where the error says only what is so. */
function nextAfter(code: ErrorCode): string {
  return code === 'STALE' ? `; "${asTyped('status RUN')}" shows how it stands now` : '';
}

export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (!(error instanceof Error)) return new CliError('INTERNAL', `something threw ${String(error)}`);
  const code = codeOf(error);
  if (code !== undefined) return new CliError(code, `${error.message}${nextAfter(code)}`, detailsOf(error));
  if (isUnanswered(error)) return new CliError('NO_WORKER', unanswered());
  const stack = error.stack
    ?.split('\n')
    .slice(1, 4)
    .map((line) => line.trim())
    .join('; ');
  return new CliError(
    'INTERNAL',
    `${error.message} (a fault of this program: please report it with this line: ${stack})`,
  );
}

function codeOf(error: Error): ErrorCode | undefined {
  const codes = CODES[error.name];
  if (typeof codes === 'string' || codes === undefined) return codes;
  return 'code' in error && typeof error.code === 'string' ? codes[error.code] : undefined;
}

/** A run says why it refuses, and of an edit what is wrong with the plan. */
function detailsOf(error: Error): Readonly<Record<string, unknown>> {
  return {
    ...('refusal' in error && error.refusal !== undefined && { refusal: error.refusal }),
    ...('issues' in error && error.issues !== undefined && { issues: error.issues }),
  };
}

const GRPC_CANCELLED = 1;
const unanswered = () =>
  `nobody answered in time; is there a worker? Start one with \`${asTyped('worker')}\`, nothing is lost meanwhile`;

/** gRPC reports a call that its deadline ended as exceeded or, when the server was first to notice, as cancelled. */
function isUnanswered({ cause }: Error): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === GRPC_CANCELLED;
}
