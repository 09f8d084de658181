/**
 * The build of the next history of a run: the SDK (1.23 and 1.24) has no call for servers before 1.30.
 *
 * Undocumented: the field of the SDK's activator. Test: test/workflows/deployments.test.ts. Remove it with server 1.29.
 */

import { workflowInfo, type ContinueAsNewOptions } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

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
