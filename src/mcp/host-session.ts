/** What the tools of one connection share: operations, the operator's settings, accessible runs. */

import {
  OperationError,
  performSent,
  type ProgressLine,
  type OperationName,
  type OutputOf,
  type Plans,
} from '../operations/index.ts';
import type { RunSettings } from '../protocol/index.ts';
import { createAnswers, type Answers } from './answers.ts';
import { createAccessibleRuns, type AccessibleRuns } from './accessible-runs.ts';

/** What the operator, who starts the server, allows. */
export interface McpSettings {
  /** The recorded name of the host's person. */
  readonly by: string;
  readonly role?: string;
  /** Of the runs that the host starts; the host cannot choose it. */
  readonly approval: NonNullable<RunSettings['approval']>;
  /** Whether the host may name runs that it did not start. */
  readonly anyRun: boolean;
  /** Whether the host may decide and answer. False: it gets commands. */
  readonly answers: boolean;
}

export interface HostSession {
  readonly plans: Plans;
  readonly settings: McpSettings;
  readonly handedOut: AccessibleRuns;
  readonly answers: Answers;
  readonly bounds: RoomBounds;
  /** Performs an operation within the limits of number and time. @throws OperationError, and as `perform` */
  perform<Name extends OperationName>(name: Name, input: object, call?: HostCall): Promise<OutputOf<Name>>;
}

export interface RoomBounds {
  /** Milliseconds per operation. */
  readonly callMs: number;
  /** Milliseconds for a form that is shown during a call. */
  readonly formMs: number;
}

/** A host's call. */
export interface HostCall {
  /** Aborted if the host cancels or disconnects. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((line: ProgressLine) => void) | undefined;
}

/**
 * Each may query a run several times a second.
 * @bound calls of one host at once
 * @beyond `REFUSED`
 */
const MOST_AT_ONCE = 32;
/**
 * Hosts of tools give up on a call after 60 s.
 * @bound one call of a host, beside its forms
 * @beyond `TIMEOUT`; hosts give up after 60 s
 */
const CALL_MS = 58_000;
/**
 * @bound a form at a host of 2025
 * @beyond the person has said nothing
 */
const FORM_MS = 600_000;

export function openHostSession(
  plans: Plans,
  settings: McpSettings,
  bounds: RoomBounds = { callMs: CALL_MS, formMs: FORM_MS },
): HostSession {
  const { callMs } = bounds;
  let atOnce = 0;
  return {
    bounds,
    plans,
    settings,
    handedOut: createAccessibleRuns(plans, settings.anyRun),
    answers: createAnswers(),
    perform<Name extends OperationName>(name: Name, input: object, { signal, onProgress }: HostCall = {}) {
      if (atOnce >= MOST_AT_ONCE) {
        const message = `${MOST_AT_ONCE} calls of this host are under way; wait for one of them`;
        return Promise.reject(new OperationError('REFUSED', message));
      }
      atOnce += 1;
      const over = AbortSignal.timeout(callMs);
      const ends = signal === undefined ? over : AbortSignal.any([over, signal]);
      // Not every operation obeys the signal.
      const isLate = new Promise<never>((_, reject) => {
        const message = `${name} was not done after ${callMs / 1000} s; nothing is undone by that`;
        over.addEventListener('abort', () => reject(new OperationError('TIMEOUT', message)));
      });
      return Promise.race([performSent(name, plans, input, { signal: ends, onProgress }), isLate]).finally(() => {
        atOnce -= 1;
      });
    },
  };
}
