/** An operator's control messages: a table of the actions, and the message. */

import type { JsonValue } from '../plan/index.ts';

interface ControlFacts {
  /** Whether it is about one node or about the whole run. */
  readonly node: 'none' | 'required';
  /** Needs a role that may approve the node, if the rules name one. */
  readonly gated?: true;
  /** A reason is required; otherwise it is optional. */
  readonly comment?: 'required';
  /** Its keys besides those of every action. */
  readonly fields?: readonly (keyof Control)[];
  readonly does: string;
}

const TABLE = {
  pause: { node: 'none', does: 'hold back whatever has not begun' },
  resume: { node: 'none', does: 'go on after a pause' },
  'cancel-node': { node: 'required', does: 'stop a node, and skip what depends on it' },
  'retry-node': { node: 'required', gated: true, does: 'run a node again that ended without a result' },
  'skip-node': { node: 'required', gated: true, does: 'go on without a node' },
  resolve: {
    node: 'required',
    gated: true,
    fields: ['outcome', 'value'],
    does: 'say what became of a node that is uncertain, or give the result of one that failed',
  },
  fallback: { node: 'none', does: 'go on to the fallback plan, where planning waits for its model' },
  'go-on': {
    node: 'none',
    does: 'go on in a new history, on the current build of a deployment',
  },
  kill: { node: 'none', comment: 'required', does: 'end the run at once, with who ended it and why' },
} as const satisfies Record<string, ControlFacts>;

/**
 * The action of a control message. `pause`, `resume`, `fallback`, `go-on` and `kill` are about a whole run; `cancel-node`,
 * `retry-node`, `skip-node` and `resolve` are about one node.
 */
export type ControlAction = keyof typeof TABLE;

/** One entry per action: the reading of messages, the check of roles, descriptions, help and docs follow it. */
export const CONTROLS: Readonly<Record<ControlAction, ControlFacts>> = TABLE;
export const CONTROL_ACTIONS = Object.keys(CONTROLS) as readonly ControlAction[];

export const RESOLVE_OUTCOMES = ['succeeded', 'failed'] as const;

/** A person's control action on a run or on one of its nodes. */
export interface Control {
  readonly action: ControlAction;
  /** The node's id; absent if the action is about the whole run. */
  readonly node?: string;
  /** For `resolve`. */
  readonly outcome?: (typeof RESOLVE_OUTCOMES)[number];
  /** For `resolve` with `succeeded`: the node's result. A set is the list of its ids. */
  readonly value?: JsonValue;
  /** The plan that the node is meant in, by the first 8 or more hex digits of its digest. */
  readonly digest?: string;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
}

/** The person who ended a run at once, and why (Osprey: kill flag). */
export interface Killed {
  readonly by: string;
  readonly comment: string;
}
