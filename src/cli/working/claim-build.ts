/** Records at the server which program a build is, so that another program cannot reuse its name. */

import { defaultPayloadConverter } from '@temporalio/common';
import type { ConnectedClient } from '../../client/index.ts';
import { currentBuilds } from '../../client/reach/index.ts';
import { isRecord, type Deployment } from '../../protocol/index.ts';
import { OperationError } from '../../operations/index.ts';

/** Digests of the workflow code, and of capabilities, keys and rules. */
export interface Mark {
  readonly workflows: string;
  readonly project: string;
}

const KEY = 'planwright';
const ANSWER_MS = 10_000;
/** Time limit in ms until the server knows the build, which it learns from a worker's first poll. */
const KNOWN_WITHIN_MS = 15_000;
const LOOK_MS = 100;
const NOT_FOUND = 5;

export async function refuseOtherBuild(to: ConnectedClient, deployment: Deployment, own: Mark): Promise<void> {
  const taken = await markOf(to, deployment);
  const wrong = taken === undefined || taken === 'unknown' ? undefined : difference(taken, own);
  if (wrong === undefined) return;
  const { name, build } = deployment;
  throw new OperationError(
    'BUILD_TAKEN',
    `build ${build} of deployment ${name} is another program: ${wrong}. Runs that are pinned to it would be carried out ` +
      'by a program that they did not begin with. Give this release a --build of its own; or start with --force where no ' +
      'open run is pinned to the other one',
    { deployment: name, build },
  );
}

/**
 * Waits until the server knows the build, and records its program.
 * @returns a note if it is not current, or unknown
 */
export async function claimBuild(to: ConnectedClient, deployment: Deployment, own: Mark): Promise<string | undefined> {
  const { name, build } = deployment;
  try {
    const until = Date.now() + KNOWN_WITHIN_MS;
    let recorded = await markOf(to, deployment);
    for (; recorded === 'unknown'; recorded = await markOf(to, deployment)) {
      if (Date.now() > until) return `the server has not heard of build ${build} of deployment ${name} yet`;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    if (recorded === undefined || difference(recorded, own) !== undefined) await writeMark(to, deployment, own);
    const current = (await currentBuilds(to.client, to.namespace, [name])).get(name);
    if (current === build) return undefined;
    return (
      `the current build of deployment ${name} is ${current ?? 'none'}: build ${build} is given nothing but runs pinned to it ` +
      `until you type: temporal worker deployment set-current-version --deployment-name ${name} --build-id ${build} --yes`
    );
  } catch (error) {
    return `the server does not tell of build ${build} of deployment ${name} (${(error as Error).message})`;
  }
}

async function writeMark(to: ConnectedClient, deployment: Deployment, own: Mark): Promise<void> {
  const upsertEntries = { [KEY]: defaultPayloadConverter.toPayload({ ...own }) ?? {} };
  const asking = { namespace: to.namespace, deploymentVersion: versionOf(deployment), upsertEntries };
  await callWorkflowService(to, () => to.client.workflowService.updateWorkerDeploymentVersionMetadata(asking));
}

/** The record of a build; undefined if it has none. `unknown`: the server does not know the build. */
async function markOf(to: ConnectedClient, deployment: Deployment): Promise<Mark | 'unknown' | undefined> {
  try {
    const { workerDeploymentVersionInfo } = await callWorkflowService(to, () =>
      to.client.workflowService.describeWorkerDeploymentVersion({
        namespace: to.namespace,
        deploymentVersion: versionOf(deployment),
      }),
    );
    const entry = workerDeploymentVersionInfo?.metadata?.entries?.[KEY];
    const mark: unknown = entry && defaultPayloadConverter.fromPayload(entry);
    if (!isRecord(mark) || typeof mark['workflows'] !== 'string' || typeof mark['project'] !== 'string')
      return undefined;
    return { workflows: mark['workflows'], project: mark['project'] };
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return 'unknown';
    throw error;
  }
}

function difference(taken: Mark, own: Mark): string | undefined {
  if (taken.workflows !== own.workflows)
    return `its workflows are ${taken.workflows}, those of this program ${own.workflows} (another version of planwright)`;
  if (taken.project === own.project) return undefined;
  return `its capabilities, keys and rules are planwright/${taken.project}, those of this project planwright/${own.project}`;
}

function versionOf({ name, build }: Deployment) {
  return { deploymentName: name, buildId: build };
}

function callWorkflowService<T>({ client }: ConnectedClient, call: () => Promise<T>): Promise<T> {
  return client.connection.withDeadline(Date.now() + ANSWER_MS, call);
}
