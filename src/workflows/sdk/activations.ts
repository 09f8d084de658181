/**
 * What an activation brings is made fit before SDK 1.24 hands it to a run: a signal under a name that Temporal keeps for itself, which
 * would stop the run for good; an update that is too large; somebody who looks at the run in Temporal's Web UI.
 */

import { TEMPORAL_RESERVED_PREFIX } from '@temporalio/common/lib/reserved.js';
import { setCurrentDetails, type WorkflowInterceptors } from '@temporalio/workflow';
import type { Malformed } from '../../protocol/index.ts';
import { isOwn } from './own-types.ts';
import { payloadConverter } from '../payload-converter.js';

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
  if (signal?.signalName?.startsWith(TEMPORAL_RESERVED_PREFIX) === true) signal.signalName = MARK + signal.signalName;
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
