/** A worker's log on stderr: text for people, JSON for programs. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { installRuntime } from '../../config/own-worker/index.ts';
import type { GlobalOptions } from '../global-flags.ts';
import type { Output } from '../terminal/index.ts';
import { addressText, type Address } from './watch.ts';
import { DefaultLogger, type LogEntry, type Logger, type LogLevel } from '@temporalio/worker';
import { cutCharacters, tameError } from '../../plan/text/index.ts';
import type { NodeEvent } from '../../activities/index.ts';
import { OperationError } from '../../operations/index.ts';
import { readChoice } from '../options.ts';

/** Characters. */
const MOST_TOLD = 4000;
const NODE = /^node_\d+$/;

/** The SDK has no silent level; errors in the log are also in the run. */
const LEVELS = {
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  never: 'ERROR',
} as const satisfies Record<string, LogLevel>;
const LEVEL_NAMES = ['debug', 'info', 'warn', 'error', 'never'] as const;

export interface WorkerLog {
  /** A warning for the worker's operator, if the log is JSON. */
  note(line: string): void;
  /** Logs the start and end of each attempt, if the log is JSON. */
  readonly onNode?: (event: NodeEvent) => void;
  /** The file that was written, if any. */
  file?(): string | undefined;
  /**
   * Installs the SDK's runtime with this log.
   * @param metrics where scrapes are answered
   * @throws OperationError `PORT_IN_USE` that names the flag
   */
  install(metrics?: Address): void;
}

/**
 * Call it before anything else of a worker: with JSON it also takes Node's warnings, so that every line of stderr is
 * an object. Text has warnings, and only errors of the native part, which warns of slow workers; JSON has more.
 * @param file replaces stderr if nobody chose a level
 * @throws OperationError USAGE that names the flag
 */
export function openLog(
  { logLevel, logFormat = 'text' }: Pick<GlobalOptions, 'logLevel' | 'logFormat'>,
  { note }: Pick<Output, 'note'>,
  file?: string,
): WorkerLog {
  const isJson = readChoice('--log-format', logFormat, ['text', 'json']) === 'json';
  const level = logLevel === undefined ? undefined : LEVELS[readChoice('--log-level', logLevel, LEVEL_NAMES)];
  const chosen = level ?? (isJson ? 'INFO' : 'WARN');
  const logFile = file === undefined || isJson || level !== undefined ? undefined : fileLogger(chosen, file);
  const json = isJson ? jsonLogger(chosen, (line) => process.stderr.write(`${line}\n`)) : undefined;
  const logger = json ?? logFile?.logger;
  const install = (metrics?: Address) => {
    try {
      installRuntime(chosen, {
        native: level ?? 'ERROR',
        ...(logger !== undefined && { logger }),
        ...(metrics !== undefined && { metrics: addressText(metrics) }),
      });
    } catch (error) {
      if (metrics === undefined) throw error;
      const where = `--metrics ${addressText(metrics)}`;
      throw new OperationError('PORT_IN_USE', `${where}: ${(error as Error).message}; name another address`);
    }
  };
  if (json === undefined) return { note, install, ...(logFile !== undefined && { file: logFile.file }) };
  // Node's own listener writes text.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => json.warn(message, { warning: name }));
  return { note: (line) => json.warn(line), onNode: logAttempts(json), install };
}

/** Overwrites the file; a file that cannot be written stays. */
function fileLogger(level: LogLevel, path: string): { readonly logger: Logger; file(): string | undefined } {
  let isBegun = false;
  const logger = new DefaultLogger(level, (entry) => {
    try {
      if (!isBegun) mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, textLines(entry), { flag: isBegun ? 'a' : 'w' });
      isBegun = true;
    } catch {
      // Nobody reads this worker's log.
    }
  });
  return { logger, file: () => (isBegun ? path : undefined) };
}

/** `2026-08-01T10:00:00.000Z WARN Activity failed plan-1 node_2 attempt 1`, and the stack of its error below. */
function textLines({ level, message, timestampNanos, meta = {} }: LogEntry): string {
  const { workflowId, activityId, attempt, error } = meta as LogMeta;
  const ids = [workflowId, activityId].flatMap((one) => (typeof one === 'string' ? [one] : []));
  const about = typeof attempt === 'number' ? [...ids, `attempt ${attempt}`] : ids;
  const head = [timeOf(timestampNanos), level, message, ...about].join(' ');
  const { stack = '' } = error === undefined ? {} : tameError(error, 0);
  return `${head}\n${stack === '' ? '' : `${stack}\n`}`;
}

function timeOf(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}

/** @param write gets a line without its end */
export function jsonLogger(level: LogLevel, write: (line: string) => void): Logger {
  return new DefaultLogger(level, (entry) => write(jsonLine(entry)));
}

/**
 * time, level, message; run, node and attempt, or the activity; then the SDK's other fields. Never throws: values
 * that are not JSON are described.
 */
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

/** One line must not exhaust its reader. */
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
