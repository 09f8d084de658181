import { installRuntime } from '../../config/own-worker/index.ts';
import type { GlobalOptions } from '../global-flags.ts';
import type { Output } from '../terminal/index.ts';
import { addressText, type Address } from './watch.ts';
import { DefaultLogger, type LogEntry, type Logger, type LogLevel } from '@temporalio/worker';
import { cutCharacters, oneLine, tameError } from '../../plan/text/index.ts';
import type { NodeEvent } from '../../activities/index.ts';
import { OperationError } from '../../operations/index.ts';
import { readChoice } from '../options.ts';

const MOST_TOLD = 4000;
const NODE = /^node_\d+$/;

/** Log levels. The SDK cannot be silent, so `never` logs errors. */
const LEVELS = {
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  never: 'ERROR',
} as const satisfies Record<string, LogLevel>;
const LEVEL_NAMES = ['debug', 'info', 'warn', 'error', 'never'] as const;

export interface WorkerLog {
  note(line: string): void;
  readonly onNode?: (event: NodeEvent) => void;
  /**
   * Starts the SDK's runtime with this log. @param metrics the address for scrapes @throws OperationError `PORT_IN_USE`
   */
  install(metrics?: Address): void;
}

/**
 * Opens the log; call it before all other code of a worker. As JSON, the log also prints Node's warnings, so that every
 * line of stderr is an object. Unless a level is typed, the native part of the SDK logs only errors, since it warns of
 * every slow worker. @throws OperationError USAGE that names the flag
 */
export function openLog(
  { logLevel, logFormat = 'text' }: Pick<GlobalOptions, 'logLevel' | 'logFormat'>,
  { note }: Pick<Output, 'note'>,
): WorkerLog {
  const isJson = readChoice('--log-format', logFormat, ['text', 'json']) === 'json';
  const level = logLevel === undefined ? undefined : LEVELS[readChoice('--log-level', logLevel, LEVEL_NAMES)];
  const chosen = level ?? (isJson ? 'INFO' : 'WARN');
  const json = isJson ? jsonLogger(chosen, (line) => process.stderr.write(`${line}\n`)) : undefined;
  const text = () => new DefaultLogger(chosen, (entry) => process.stderr.write(readableLines(entry)));
  const logger = json ?? text();
  const install = (metrics?: Address) => {
    try {
      installRuntime(chosen, {
        native: level ?? 'ERROR',
        logger,
        ...(metrics !== undefined && { metrics: addressText(metrics) }),
      });
    } catch (error) {
      if (metrics === undefined) throw error;
      const where = `--metrics ${addressText(metrics)}`;
      throw new OperationError('PORT_IN_USE', `${where}: ${(error as Error).message}; name another address`);
    }
  };
  if (json === undefined) return { note, install };
  process.removeAllListeners('warning').on('warning', ({ name, message }) => json.warn(message, { warning: name }));
  return { note: (line) => json.warn(line), onNode: logAttempts(json), install };
}

/** Writes a line such as `2026-08-01T10:00:00.000Z WARN Activity failed plan-1 node_2 attempt 1: Uncertain: no reply`. */
export function readableLines({ level, message, timestampNanos, meta = {} }: LogEntry): string {
  const { workflowId, activityId, attempt, error, ...rest } = meta as LogMeta;
  const ids = [workflowId, activityId].flatMap((one) => (typeof one === 'string' ? [one] : []));
  const about = typeof attempt === 'number' ? [...ids, `attempt ${attempt}`] : ids;
  // Adds the other fields, since a line about a worker's state means nothing without `state=STOPPING`.
  const facts = Object.entries(rest).flatMap(([name, value]) =>
    OF_EVERY_LINE.has(name) || typeof value !== 'string' ? [] : [`${name}=${cut(oneLine(value))}`],
  );
  const head = [timeOf(timestampNanos), level, cut(message), ...about, ...facts].join(' ');
  return `${head}${error === undefined ? '' : errorText(error)}\n`;
}

/** Fields of the SDK that are the same in all lines, or that repeat a name in the line. */
const OF_EVERY_LINE: ReadonlySet<string> = new Set([
  'sdkComponent',
  'namespace',
  'taskQueue',
  'runId',
  'workflowRunId',
  'workflowType',
  'activityType',
  'taskToken',
]);

/** A failure with a type, which an activity chose, is one line. A programming error also has its stack. */
function errorText(error: unknown): string {
  try {
    const { type, cause } = error as { readonly type?: unknown; readonly cause?: unknown };
    const isMistake = MISTAKES.has((cause as Error | undefined)?.name ?? '');
    const { name, message, stack = '' } = tameError(isMistake ? cause : error, 0);
    const first = cut(oneLine(`${typeof type === 'string' ? type : name}: ${message}`));
    const isNamed = typeof type === 'string' && !isMistake;
    return `: ${first}${isNamed || stack === '' ? '' : `\n${stack}`}`;
  } catch {
    return ': an error that cannot be read';
  }
}

const MISTAKES: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'SyntaxError', 'ReferenceError']);

function timeOf(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}

export function jsonLogger(level: LogLevel, write: (line: string) => void): Logger {
  return new DefaultLogger(level, (entry) => write(jsonLine(entry)));
}

/** A line of JSON: time, level, message, run, node (or activity), attempt, the SDK's other fields. Never throws. */
export function jsonLine({ level, message, timestampNanos, meta = {} }: LogEntry): string {
  const { workflowId, runId: history, workflowRunId, activityId, attempt, error, ...rest } = meta as LogMeta;
  const isNode = typeof activityId === 'string' && NODE.test(activityId);
  const head = {
    time: timeOf(timestampNanos),
    level: level.toLowerCase(),
    message: cut(message),
    run: workflowId,
    history: workflowRunId ?? history,
    ...(isNode ? { node: activityId } : { activity: activityId }),
    attempt,
    ...(error !== undefined && { error: tame(error) }),
  };
  try {
    return JSON.stringify({ ...head, ...rest }, (_key, value: unknown) => plain(value));
  } catch {
    return JSON.stringify({ ...head, left: 'the rest of what was logged is no JSON' });
  }
}

type LogMeta = Readonly<Record<string, unknown>>;

function tame(error: unknown): object {
  const { name, message, stack } = tameError(error, 0);
  return { name, message, stack };
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return tame(value);
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
}

function cut(text: string): string {
  return cutCharacters(text, MOST_TOLD);
}

export function logAttempts(logger: Pick<Logger, 'info'>): (event: NodeEvent) => void {
  return ({ what, workflowId, nodeId, attempt, idempotencyKey }) =>
    logger.info(`node ${what}`, { workflowId, activityId: nodeId, attempt, idempotencyKey });
}
