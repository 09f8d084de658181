/** Says that no worker has the version of a capability that was approved: its node is held until one comes. */

import type { NodeStatus } from '../../protocol/index.ts';
import { encryptionKeys } from '../../config/index.ts';
import { equipped, openProject, type RunSession } from '../../config/project/index.ts';
import type { CapabilityRegistry } from '../../capabilities/builtin/index.ts';
import { fingerprintOf, readWorkerIdentity, type Trust } from '../../worker/index.ts';
import { pollersOf } from '../../client/reach/index.ts';

/** `capability pay@1 at-most-once on account-7` */
const LABEL = /^(capability|agent) (.+)@(.+?) (?:read|idempotent|at-most-once)\b/;

const OPEN: readonly NodeStatus[] = ['pending', 'running'];

/**
 * A line for each, only where it is known: all who poll the queue are workers of the project of this folder, so that its registry
 * says what they have. The word that was said is taken either way; what cannot be told in time is left unsaid.
 */
export async function missingLines({
  run,
  listed,
  client,
  namespace,
  ...rest
}: RunSession): Promise<readonly string[]> {
  const taskQueue = listed?.taskQueue;
  if (taskQueue === undefined) return [];
  const opened = await openProject({}).catch(() => undefined);
  // To start its MCP servers for a note would be too much.
  if (opened === undefined || opened.mcp !== undefined) return [];
  try {
    const project = await equipped(opened);
    const pollers = await pollersOf({ client, namespace, ...rest }, taskQueue, 'activity');
    const there = pollers.filter(({ isThere }) => isThere).map((poller) => poller.identity);
    const open = (await run.view(['nodes'])).nodes.filter(({ status }) => OPEN.includes(status));
    const labels = new Set(open.map(({ executor }) => executor));
    const encryption = project.encryption && encryptionKeys(project.encryption);
    const missing = missingAt(there, [...labels], { ...project, encryption });
    return missing.map((name) => `no worker of this queue has ${name}; the node is held until one comes`);
  } catch {
    // A server or a run that does not answer has been told of already.
    return [];
  }
}

/** The names and versions among these labels that none of these workers has; none where it is not known. */
export function missingAt(
  workers: readonly string[],
  labels: readonly string[],
  { registry, ...trust }: { readonly registry: CapabilityRegistry } & Trust,
): readonly string[] {
  const own = fingerprintOf(registry, trust);
  if (workers.length === 0 || workers.some((each) => readWorkerIdentity(each)?.fingerprint !== own)) return [];
  return labels.flatMap((label) => {
    const [, kind, name = '', version] = LABEL.exec(label) ?? [];
    if (kind !== 'capability' && kind !== 'agent') return [];
    return registry.executor(kind, name)?.version === version ? [] : [`${name}@${version}`];
  });
}
