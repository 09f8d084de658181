/** A failure of a command that its user can do something about. */

import { EXIT_CODES, ERROR_EXITS, type ErrorCode } from './exit-codes.ts';

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

/** Classes of other rooms by their names: importing them here would load the Temporal SDK for `--help`. */
const CODES: Readonly<Record<string, Readonly<Record<string, ErrorCode>>>> = {
  ClientError: {
    'no-server': 'NO_SERVER',
    'no-worker': 'NO_WORKER',
    'no-namespace': 'NO_NAMESPACE',
    'no-run': 'NO_RUN',
    'run-closed': 'RUN_CLOSED',
    'already-started': 'ALREADY_STARTED',
    'invalid-input': 'INPUT_INVALID',
    refused: 'REFUSED',
    stale: 'STALE',
  },
  StoreError: { 'not-found': 'NOT_IN_STORE', default: 'STORE_FAULT' },
  DevServerError: {
    unreachable: 'NO_SERVER',
    'no-server': 'NO_SERVER',
    'no-namespace': 'NO_NAMESPACE',
    'port-in-use': 'PORT_IN_USE',
    'database-in-use': 'DATABASE_IN_USE',
    default: 'DEV_SERVER',
  },
  ConfigError: { default: 'CONFIG_INVALID' },
  IdentityError: { default: 'INPUT_INVALID' },
};

export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (!(error instanceof Error)) return new CliError('INTERNAL', `something threw ${String(error)}`);
  const codes = CODES[error.name];
  const code = codes?.[(error as { code?: string }).code ?? 'default'] ?? codes?.['default'];
  if (code !== undefined) return new CliError(code, error.message, detailsOf(error));
  if (isUnanswered(error)) return new CliError('NO_WORKER', UNANSWERED);
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

/** A run says why it refuses, and of an edit what is wrong with the plan. */
function detailsOf(error: Error): Readonly<Record<string, unknown>> {
  const { refusal, issues } = error as { readonly refusal?: unknown; readonly issues?: unknown };
  return { ...(refusal !== undefined && { refusal }), ...(issues !== undefined && { issues }) };
}

const GRPC_CANCELLED = 1;
const UNANSWERED =
  'nobody answered in time; is there a worker? Start one with `planwright worker`, nothing is lost meanwhile';

/** gRPC reports a call that its deadline ended as exceeded or, when the server was first to notice, as cancelled. */
function isUnanswered({ cause }: Error): boolean {
  return cause instanceof Error && (cause as { code?: unknown }).code === GRPC_CANCELLED;
}
