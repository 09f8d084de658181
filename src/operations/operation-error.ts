/** An error that the caller can do something about. */

import type { PlanIssue } from '../plan/index.ts';
import { quoteForShell } from '../plan/text/index.ts';
import { given, unattendedText, type UnattendedQueue } from '../protocol/index.ts';
import { codeOf, ERROR_CODES, EXIT_CODES, type ErrorCode } from './error-codes.ts';

export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get exitCode(): number {
    return EXIT_CODES[ERROR_CODES[this.code].exit].code;
  }
}

/** An error for a wrongly typed command. @param details further fields of the error's JSON form */
export function wrongUsage(message: string, details?: OperationError['details']): OperationError {
  return new OperationError('USAGE', message, details);
}

export function invalidPlanError(issues: readonly PlanIssue[]): OperationError {
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  return new OperationError('PLAN_INVALID', `the plan has ${errors} problem${errors === 1 ? '' : 's'}`, { issues });
}

export function issuesOf({ details }: OperationError): readonly PlanIssue[] {
  const { issues } = details;
  return Array.isArray(issues) ? issues.filter((one: Partial<PlanIssue>) => one.severity !== undefined) : [];
}

export function toOperationError(error: unknown, typed = (command: string) => `planwright ${command}`): OperationError {
  if (error instanceof OperationError) return error;
  if (!(error instanceof Error)) return new OperationError('INTERNAL', `something threw ${String(error)}`);
  const missing = missingPackage(error);
  if (missing !== undefined) {
    const message = `planwright needs ${missing} beside it: npm install ${missing}`;
    return new OperationError('NOT_INSTALLED', message, { package: missing });
  }
  const code = codeOf(error);
  if (code !== undefined) {
    const { unattended: nobody, run = 'RUN' } = error as { unattended?: UnattendedQueue; run?: string };
    const next =
      code === 'STALE' && error.name === 'ClientError'
        ? `; "${typed(`status ${quoteForShell(run)}`)}" shows how it stands now`
        : '';
    const queue = nobody === undefined ? '' : `; ${unattendedText(nobody)}`;
    return new OperationError(code, `${error.message}${next}${queue}`, detailsOf(error));
  }
  if (isUnanswered(error)) {
    const start = `Start one with \`${typed('worker')}\`, nothing is lost meanwhile`;
    return new OperationError('NO_WORKER', `nobody answered in time; is there a worker? ${start}`);
  }
  const stack = (error.stack ?? '').split('\n').slice(1, 4);
  const line = `please report it with this line: ${stack.map((one) => one.trim()).join('; ')}`;
  return new OperationError('INTERNAL', `${error.message} (a fault of this program: ${line})`);
}

/** The name of a package that is not installed. Temporal's and MCP's packages are peer dependencies. */
function missingPackage(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const [, name] =
      /^Cannot find (?:package|module) '(@(?:temporalio|modelcontextprotocol|opentelemetry)\/[\w-]+)/.exec(
        one.message,
      ) ?? [];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Details of a refused message or draft: the reason, and the issues of its plan. */
function detailsOf(error: Error): Readonly<Record<string, unknown>> {
  type Detail = 'refusal' | 'unattended' | 'issues' | 'code';
  const { refusal, unattended, issues, code } = error as Partial<Record<Detail, unknown>>;
  return given({ refusal, unattended, issues, reason: error.name === 'DraftError' ? code : undefined });
}

const GRPC_CANCELLED = 1;

/** Whether a call timed out. gRPC reports this as exceeded, or as cancelled if the server noticed first. */
function isUnanswered({ cause }: Error): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === GRPC_CANCELLED;
}
