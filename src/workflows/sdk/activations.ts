/**
 * Changes an activation before the SDK (1.23 and 1.24) passes it to a run: it renames signals with a name reserved by
 * Temporal, which would fail the workflow task for good; it rejects updates that are too large; it renders the details
 * when somebody opens the run in Temporal's Web UI, for which the SDK has no hook.
 *
 * Undocumented: that an interceptor may change jobs. Test: test/worker/activations.test.ts. Remove it when the SDK
 * drops such signals, and calls back for `__temporal_workflow_metadata`.
 */

import {
  setCurrentDetails,
  type WorkflowInterceptors,
  workflowInfo,
  type ContinueAsNewOptions,
  condition,
} from '@temporalio/workflow';
import { type Malformed, AGENT_WORKFLOW, PLAN_WORKFLOW } from '../../protocol/index.ts';
import { payloadConverter } from '../payload-converter.js';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import type { Incoming } from '../run/index.ts';

const RESERVED = '__temporal_';
/** Prefix of a reserved name, so that the SDK passes the signal on and the trace shows its name. */
const MARK = 'reserved name: ';

/**
 * The workflow task sends accepted updates back, and the server rejects calls above 4 MiB, so larger updates would fail
 * the task for ever. The server admits 10 updates at a time (`history.maxInFlightUpdates`).
 * @bound an update, as JSON
 * @beyond `malformed`; a signal may be as large as the server allows
 */
const MAX_UPDATE_BYTES = 256 * 1024;

/** The SDK answers it with the last text passed to `setCurrentDetails`. */
const METADATA_QUERY = '__temporal_workflow_metadata';

// Each run loads the modules of this folder again.
let render: (() => string) | undefined;

/** @param details renders the run when somebody looks, so that no turn pays for it */
export function whenLookedAt(details: () => string): void {
  render = details;
}

type Activate = NonNullable<NonNullable<WorkflowInterceptors['internals']>[number]['activate']>;
type Job = NonNullable<Parameters<Activate>[0]['activation']['jobs']>[number];

/** An interceptor module of the bundle, loaded by its path: the SDK shows its own query to no other code. */
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
  // A replayed update was accepted before.
  if (update?.runValidator === true) {
    const bytes = (update.input ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    // The update is not decoded; other messages are not affected.
    if (bytes > MAX_UPDATE_BYTES) update.input = [payloadConverter.toPayload(tooLarge(bytes))];
  }
  if (query?.queryType === METADATA_QUERY && render !== undefined) setCurrentDetails(render());
}

function tooLarge(bytes: number): Malformed {
  const reason = `an update takes at most ${MAX_UPDATE_BYTES} bytes as JSON, this one ${bytes}; put a plan into the result store and send its "ref", or send it as a signal`;
  return { malformed: true, encoding: 'json/plain', reason };
}

/** Whether the current workflow is one of ours, by its type. */
export function isOwn(): boolean {
  const { workflowType } = workflowInfo();
  return workflowType === PLAN_WORKFLOW || workflowType === AGENT_WORKFLOW;
}

/**
 * A run is pinned to the build that began its history; its next history begins on the current build of the deployment.
 * Servers from 1.30 on have an option for that. Earlier ones keep a pinned run's build, and use the versioning
 * behaviour of its last task. The plugin makes sure that a worker with a deployment is versioned, since the server
 * would reject this task otherwise.
 */
export function onNewestBuild(): ContinueAsNewOptions {
  if ((workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === '') return {};
  getActivator().versioningBehavior = 'AUTO_UPGRADE';
  return { initialVersioningBehavior: 'AUTO_UPGRADE' };
}

/** Resolves after all jobs of this activation. */
export function afterAllJobs(): Promise<void> {
  let evaluations = 0;
  return condition(() => ++evaluations > 1);
}

/** Ends of work and signals of other runs, then messages, each in order. */
export function factsFirst<One extends { readonly incoming: Incoming }>(line: readonly One[]): readonly One[] {
  return line.toSorted((one, other) => Number(isMessage(one)) - Number(isMessage(other)));
}

function isMessage({ incoming: { is } }: { readonly incoming: Incoming }): boolean {
  return is === undefined;
}
