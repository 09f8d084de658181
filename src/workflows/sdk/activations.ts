/**
 * Changes an activation before the SDK (1.23 and 1.24) passes it to a run: renames signals with a reserved name, which
 * would fail the workflow task for good, rejects updates that are too large, and renders the details when somebody
 * opens the run in Temporal's Web UI. It is undocumented that an interceptor may change jobs. Test:
 * test/worker/activations.test.ts. Remove this file when the SDK drops such signals and calls back for
 * `__temporal_workflow_metadata`.
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
/** Prefix for a reserved signal name. With it the SDK delivers the signal, and the trace shows the name. */
const MARK = 'reserved name: ';

/**
 * Maximum bytes of an update as JSON. A workflow task returns up to 10 accepted updates, and the server rejects a task
 * above 4 MiB every time.
 */
const MAX_UPDATE_BYTES = 256 * 1024;

/** The SDK answers this query with the last text passed to `setCurrentDetails`. */
const METADATA_QUERY = '__temporal_workflow_metadata';

// Each run has its own copy of this variable, since the SDK loads the modules of this folder again for each run.
let render: (() => string) | undefined;

/** @param details renders the run as text. It is called only on request, since rendering would slow down turns */
export function onDetailsQuery(details: () => string): void {
  render = details;
}

type Activate = NonNullable<NonNullable<WorkflowInterceptors['internals']>[number]['activate']>;
type Job = NonNullable<Parameters<Activate>[0]['activation']['jobs']>[number];

/** Only an interceptor sees the SDK's own queries. The worker loads this module of the bundle by its path. */
export function interceptors(): WorkflowInterceptors {
  if (!isOwn()) return {};
  const activate: Activate = (input, next) => {
    for (const job of input.activation.jobs ?? []) adaptJob(job);
    next(input);
  };
  return { internals: [{ activate }] };
}

function adaptJob({ signalWorkflow: signal, doUpdate: update, queryWorkflow: query }: Job): void {
  if (signal?.signalName?.startsWith(RESERVED) === true) signal.signalName = MARK + signal.signalName;
  // If an update comes without validation, this is a replay: the run accepted the update before.
  if (update?.runValidator === true) {
    const bytes = (update.input ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    // The update is replaced before it is decoded. Others are not affected.
    if (bytes > MAX_UPDATE_BYTES) update.input = [payloadConverter.toPayload(tooLarge(bytes))];
  }
  if (query?.queryType === METADATA_QUERY && render !== undefined) setCurrentDetails(render());
}

function tooLarge(bytes: number): Malformed {
  const reason = `an update takes at most ${MAX_UPDATE_BYTES} bytes as JSON, this one ${bytes}; put a plan into the result store and send its "ref", or send it as a signal`;
  return { malformed: true, encoding: 'json/plain', reason };
}

export function isOwn(): boolean {
  const { workflowType } = workflowInfo();
  return workflowType === PLAN_WORKFLOW || workflowType === AGENT_WORKFLOW;
}

/**
 * Moves the next history of a run to the current build of its deployment. Within one history, a run stays on its build.
 * Servers from 1.30 on have an option for this; earlier ones use the versioning behaviour of the last workflow task.
 * The server rejects a deployment without versioning, so the plugin checks that.
 */
export function onNewestBuild(): ContinueAsNewOptions {
  if ((workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === '') return {};
  getActivator().versioningBehavior = 'AUTO_UPGRADE';
  return { initialVersioningBehavior: 'AUTO_UPGRADE' };
}

export function afterAllJobs(): Promise<void> {
  let evaluations = 0;
  return condition(() => ++evaluations > 1);
}

/** Sorts ends of tasks and signals of other runs before messages. Each group keeps its order. */
export function messagesLast<One extends { readonly incoming: Incoming }>(line: readonly One[]): readonly One[] {
  return line.toSorted((one, other) => Number(isMessage(one)) - Number(isMessage(other)));
}

function isMessage({ incoming: { is } }: { readonly incoming: Incoming }): boolean {
  return is === undefined;
}
