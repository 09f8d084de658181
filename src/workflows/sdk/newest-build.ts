/**
 * The build of the history in which a run goes on: the SDK (1.23 and 1.24) has no call for what servers before 1.30 go by.
 *
 * Not promised: the field of the SDK's activator. Tried by test/workflows/deployments.test.ts. It goes with server 1.29.
 */

import { workflowInfo, type ContinueAsNewOptions } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

/**
 * A run is pinned to the build that began its history, and the next one begins on the current build of the deployment. Servers
 * from 1.30 on are asked for that; those before keep to the build of a pinned run, and go by what its last task says of
 * itself. The plugin sees to it that a worker with a deployment is versioned: the server would take no such task of another.
 */
export function onNewestBuild(): ContinueAsNewOptions {
  if ((workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === '') return {};
  getActivator().versioningBehavior = 'AUTO_UPGRADE';
  return { initialVersioningBehavior: 'AUTO_UPGRADE' };
}
