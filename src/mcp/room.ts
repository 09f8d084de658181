/** Everything that the tools of one connection share: the project's operations, the settings of the operator, what was handed out. */

import {
  OperationError,
  performSent,
  type Heard,
  type OperationName,
  type OutputOf,
  type Plans,
} from '../operations/index.ts';
import type { RunSettings } from '../protocol/index.ts';
import { createAnswers, type Answers } from './answers.ts';
import { createHandedOut, type HandedOut } from './handed-out.ts';

/** The word of the operator, who starts the server, on what a host may do. */
export interface McpSettings {
  /** The person at the host, as runs record who says something. */
  readonly by: string;
  readonly role?: string;
  /** How the runs that the host starts ask. A host cannot choose it. */
  readonly approval: NonNullable<RunSettings['approval']>;
  /** Whether the host may name runs that it was not handed. */
  readonly anyRun: boolean;
  /** Whether anything may be decided or answered through the host. False: it is shown the commands. */
  readonly answers: boolean;
}

export interface Room {
  readonly plans: Plans;
  readonly settings: McpSettings;
  readonly handedOut: HandedOut;
  readonly answers: Answers;
  readonly bounds: RoomBounds;
  /**
   * Carries out a row, as one of a bounded number at once and within a bounded time.
   * @throws OperationError, and as `perform`
   */
  perform<Name extends OperationName>(name: Name, input: object, call?: Call): Promise<OutputOf<Name>>;
}

export interface RoomBounds {
  /** Milliseconds of one row. */
  readonly callMs: number;
  /** Milliseconds that a person has for a form where a host is asked in the midst of a call. */
  readonly formMs: number;
}

/** The call of a host that waits for the row. */
export interface Call {
  /** Aborted when the host takes its call back, or goes. */
  readonly signal?: AbortSignal | undefined;
  readonly hear?: ((told: Heard) => void) | undefined;
}

/**
 * Rows that one host has carried out at once; each may ask a run several times a second.
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

export function openRoom(
  plans: Plans,
  settings: McpSettings,
  bounds: RoomBounds = { callMs: CALL_MS, formMs: FORM_MS },
): Room {
  const { callMs } = bounds;
  let atOnce = 0;
  return {
    bounds,
    plans,
    settings,
    handedOut: createHandedOut(plans, settings.anyRun),
    answers: createAnswers(),
    perform<Name extends OperationName>(name: Name, input: object, { signal, hear }: Call = {}) {
      if (atOnce >= MOST_AT_ONCE) {
        const message = `${MOST_AT_ONCE} calls of this host are under way; wait for one of them`;
        return Promise.reject(new OperationError('REFUSED', message));
      }
      atOnce += 1;
      const over = AbortSignal.timeout(callMs);
      const ends = signal === undefined ? over : AbortSignal.any([over, signal]);
      // A row may wait for what hears no signal.
      const isLate = new Promise<never>((_, reject) => {
        const message = `${name} was not done after ${callMs / 1000} s; nothing is undone by that`;
        over.addEventListener('abort', () => reject(new OperationError('TIMEOUT', message)));
      });
      return Promise.race([performSent(name, plans, input, { signal: ends, hear }), isLate]).finally(() => {
        atOnce -= 1;
      });
    },
  };
}
