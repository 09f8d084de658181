/** The log of a worker, as text for people or as JSON for programs, on stderr. */

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

/** A text in a line of the log as JSON. */
const MOST_TOLD = 4000;
const NODE = /^node_\d+$/;

/** The SDK has no level that is silent; nothing is logged as an error that is not also shown in the run. */
const LEVELS = {
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  never: 'ERROR',
} as const satisfies Record<string, LogLevel>;
const LEVEL_NAMES = ['debug', 'info', 'warn', 'error', 'never'] as const;

export interface WorkerLog {
  /** A line for whoever runs the worker: a warning, where the log is for programs. */
  note(line: string): void;
  /** A line for each attempt at a node that begins or ends, where the log is for programs. */
  readonly onNode?: (event: NodeEvent) => void;
  /** The file that the log went to, if anything did. */
  file?(): string | undefined;
  /**
   * Has the SDK's runtime, which is made here, log by it.
   * @param metrics where scrapes are answered
   * @throws OperationError `PORT_IN_USE` that names the flag
   */
  install(metrics?: Address): void;
}

/**
 * Opens the log, before anything else of a worker begins: as JSON it takes the warnings of Node.js too, so that whatever is said on
 * stderr is an object a line. As text it says warnings, and of the native part errors, since that warns of a worker that was slow; as JSON
 * it says more, since nobody reads it whole.
 * @param file takes it in place of stderr, where nobody typed how much it says
 * @throws OperationError USAGE that names the flag
 */
export function openLog(
  { logLevel, logFormat = 'text' }: Pick<GlobalOptions, 'logLevel' | 'logFormat'>,
  { note }: Pick<Output, 'note'>,
  file?: string,
): WorkerLog {
  const isJson = readChoice('--log-format', logFormat, ['text', 'json']) === 'json';
  const level = logLevel === undefined ? undefined : LEVELS[readChoice('--log-level', logLevel, LEVEL_NAMES)];
  const own = level ?? (isJson ? 'INFO' : 'WARN');
  const kept = file === undefined || isJson || level !== undefined ? undefined : fileLogger(own, file);
  const json = isJson ? jsonLogger(own, (line) => process.stderr.write(`${line}\n`)) : undefined;
  const logger = json ?? kept?.logger;
  const install = (metrics?: Address) => {
    try {
      installRuntime(own, {
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
  if (json === undefined) return { note, install, ...(kept !== undefined && { file: kept.file }) };
  // The listener of Node.js itself writes text.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => json.warn(message, { warning: name }));
  return { note: (line) => json.warn(line), onNode: tellAttempts(json), install };
}

/** Writes what is logged over what the file held before; a file that cannot be written stays as it is. */
function fileLogger(level: LogLevel, path: string): { readonly logger: Logger; file(): string | undefined } {
  let isBegun = false;
  const logger = new DefaultLogger(level, (entry) => {
    try {
      if (!isBegun) mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, textLines(entry), { flag: isBegun ? 'a' : 'w' });
      isBegun = true;
    } catch {
      // Nobody stands at this worker's log.
    }
  });
  return { logger, file: () => (isBegun ? path : undefined) };
}

/** `2026-08-01T10:00:00.000Z WARN Activity failed plan-1 node_2 attempt 1`, and the stack of its error below. */
function textLines({ level, message, timestampNanos, meta = {} }: LogEntry): string {
  const { workflowId, activityId, attempt, error } = meta as LogMeta;
  const known = [workflowId, activityId].flatMap((one) => (typeof one === 'string' ? [one] : []));
  const about = typeof attempt === 'number' ? [...known, `attempt ${attempt}`] : known;
  const head = [timeOf(timestampNanos), level, message, ...about].join(' ');
  const { stack = '' } = error === undefined ? {} : tameError(error, 0);
  return `${head}\n${stack === '' ? '' : `${stack}\n`}`;
}

function timeOf(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}

/** @param write takes a line, without its end */
export function jsonLogger(level: LogLevel, write: (line: string) => void): Logger {
  return new DefaultLogger(level, (entry) => write(jsonLine(entry)));
}

/**
 * An object: time, level, message; run, node and attempt, or the activity where it is none of a node; then the rest of what the SDK
 * knows. Never throws: what cannot be written as JSON is described.
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

/** A program that reads lines is not to be kept by one of them. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return tame(value);
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
}

function cut(text: string): string {
  return cutCharacters(text, MOST_TOLD);
}

/** A line for each attempt at a node that begins or ends. */
export function tellAttempts(logger: Pick<Logger, 'info'>): (event: NodeEvent) => void {
  return ({ what, workflowId, nodeId, attempt, idempotencyKey }) =>
    logger.info(`node ${what}`, { workflowId, activityId: nodeId, attempt, idempotencyKey });
}
