/**
 * What an activation brings is changed before the SDK (1.23 and 1.24) hands it to a run: the name of a signal that Temporal has
 * reserved, with which the SDK fails the workflow task for good; an update that is too large; somebody who looks at the run in
 * Temporal's Web UI, for whom the SDK has no hook.
 *
 * Not promised: that an interceptor may change jobs. Tried by test/worker/activations.test.ts. It goes when the SDK drops such
 * signals, and calls back for `__temporal_workflow_metadata`.
 */

import { setCurrentDetails, type WorkflowInterceptors } from '@temporalio/workflow';
import type { Malformed } from '../../protocol/index.ts';
import { isOwn } from './own-types.ts';
import { payloadConverter } from '../payload-converter.js';

const RESERVED = '__temporal_';
/** Stands in front of a reserved name, so that the SDK hands it on and the trace still tells the name that came. */
const MARK = 'reserved name: ';

/**
 * An update that is taken is sent back with the workflow task, and the server takes 4 MiB in one call: more at once
 * than that would fail the task for ever. It lets 10 updates in at a time (`history.maxInFlightUpdates`).
 * @bound an update, as JSON
 * @beyond `malformed`; a signal takes what the server takes
 */
const MAX_UPDATE_BYTES = 256 * 1024;

/** The SDK answers it with the last text that was given to `setCurrentDetails`. */
const METADATA_QUERY = '__temporal_workflow_metadata';

// The modules of this room are loaded anew for each run.
let render: (() => string) | undefined;

/** @param details of the run as it is when they are asked for: no turn pays for them */
export function whenLookedAt(details: () => string): void {
  render = details;
}

type Activate = NonNullable<NonNullable<WorkflowInterceptors['internals']>[number]['activate']>;
type Job = NonNullable<Parameters<Activate>[0]['activation']['jobs']>[number];

/** Loaded by its path, as an interceptor module of the bundle: the SDK lets no other code see a query of its own. */
export function interceptors(): WorkflowInterceptors {
  if (!isOwn()) return {};
  const activate: Activate = (input, next) => {
    for (const job of input.activation.jobs ?? []) makeFit(job);
    next(input);
  };
  return { internals: [{ activate }] };
}

function makeFit({ signalWorkflow: signal, doUpdate: update, queryWorkflow: query }: Job): void {
  if (signal?.signalName?.startsWith(RESERVED) === true) signal.signalName = MARK + signal.signalName;
  // An update that is replayed was accepted before.
  if (update?.runValidator === true) {
    const bytes = (update.input ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    // None of it is decoded, and the other messages are heard.
    if (bytes > MAX_UPDATE_BYTES) update.input = [payloadConverter.toPayload(tooLarge(bytes))];
  }
  if (query?.queryType === METADATA_QUERY && render !== undefined) setCurrentDetails(render());
}

function tooLarge(bytes: number): Malformed {
  const reason = `an update takes at most ${MAX_UPDATE_BYTES} bytes as JSON, this one ${bytes}; put a plan into the result store and send its "ref", or send it as a signal`;
  return { malformed: true, encoding: 'json/plain', reason };
}
