/** Checks of `planwright doctor`: which builds get new runs, and which builds open runs need. */

import { pinnedBuilds, type PinnedBuild } from '../../config/project/index.ts';
import type { ConnectedClient } from '../../client/index.ts';
import { asTyped } from '../typed-command.ts';
import { buildName, currentBuilds, noCurrentBuild, pollersOf } from '../../client/reach/index.ts';

/** `warn`: runs work, but something could be better. `fail`: runs do not work. */
export interface DoctorCheck {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

type Finding = Pick<DoctorCheck, 'state' | 'message'>;
type Held = PinnedBuild & { readonly runs: number };

/** The check of builds; undefined if the queue has none, or the server does not answer. */
export async function buildCheck(
  { client, namespace, ...rest }: ConnectedClient,
  taskQueue: string,
): Promise<DoctorCheck | undefined> {
  try {
    const pollers = await pollersOf({ client, namespace, ...rest }, taskQueue, 'workflow');
    const there = pollers.filter(({ isThere }) => isThere);
    const polled = new Set(there.flatMap(({ build }) => build ?? []));
    const pinned = await pinnedBuilds(client, namespace, taskQueue);
    const names = [...[...polled].map(deploymentOf), ...pinned.map(({ deployment }) => deployment)];
    const deployments = [...new Set(names)];
    if (deployments.length === 0) return undefined;
    const current = await currentBuilds(client, namespace, deployments);
    const others = there.some(({ build }) => build === undefined);
    const found = [
      ...deployments.flatMap((name) => (current.has(name) ? [] : [withoutCurrent(name, polled, others)])),
      ...pinned.flatMap((one) => heldFinding(one, polled)),
    ];
    const state = (['fail', 'warn'] as const).find((worst) => found.some((one) => one.state === worst));
    if (state !== undefined) return { check: 'builds', state, message: found.map(({ message }) => message).join('. ') };
    const words = deployments.map((name) => `the current build of deployment ${name} is ${current.get(name)}`);
    return { check: 'builds', state: 'ok', message: `${words.join(', ')}; no open run holds another` };
  } catch {
    return undefined;
  }
}

function deploymentOf(build: string): string {
  return build.slice(0, build.indexOf(':'));
}

function withoutCurrent(deployment: string, polled: ReadonlySet<string>, others: boolean): Finding {
  const first = [...polled].find((build) => deploymentOf(build) === deployment);
  const id = first?.slice(deployment.length + 1);
  const message = noCurrentBuild(deployment, id, others ? 'workers without a deployment' : 'nobody');
  return { state: others ? 'warn' : 'fail', message };
}

function heldFinding({ deployment, build, current, runs }: Held, polled: ReadonlySet<string>): readonly Finding[] {
  const isThere = polled.has(buildName({ name: deployment, build }));
  if (build === current && isThere) return [];
  const count = `${runs} open run${runs === 1 ? '' : 's'}`;
  const finding = `${count} hold${runs === 1 ? 's' : ''} build ${build} of deployment ${deployment}`;
  if (!isThere)
    return [
      { state: 'fail', message: `${finding}, and no worker of that build is there: start one with --build ${build}` },
    ];
  return [
    {
      state: 'warn',
      message:
        `${finding}, and the current one is ${current ?? 'none'}: keep a worker of ${build} until they have ended, or have each go on ` +
        `with \`${asTyped('go-on RUN')}\`; \`${asTyped('list --open')}\` names them`,
    },
  ];
}
