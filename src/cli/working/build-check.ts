/** Checks of `planwright doctor`: which builds get new runs, and which builds open runs need. */

import { pinnedBuilds, type PinnedBuild } from '../../config/project/index.ts';
import type { ConnectedClient } from '../../client/index.ts';
import { asTyped } from '../typed-command.ts';
import { buildName, idleDeployment, pollersOf } from '../../client/reach/index.ts';

/** `warn`: runs work, but something could be better. `fail`: runs do not work. */
export interface DoctorCheck {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

type Finding = Pick<DoctorCheck, 'state' | 'message'>;
type Held = PinnedBuild & { readonly runs: number };

/** The check of builds; undefined if no run is pinned to one, or if the server does not answer. */
export async function buildCheck(connected: ConnectedClient, taskQueue: string): Promise<DoctorCheck | undefined> {
  try {
    const { client, namespace } = connected;
    const idle = await idleDeployment(connected, taskQueue);
    const pollers = await pollersOf(connected, taskQueue, 'workflow');
    const polled = new Set(pollers.flatMap(({ isThere, build }) => (isThere ? (build ?? []) : [])));
    const pinned = await pinnedBuilds(client, namespace, taskQueue);
    if (idle === undefined && polled.size + pinned.length === 0) return undefined;
    const found: readonly Finding[] = [
      ...(idle === undefined ? [] : [{ state: 'fail' as const, message: idle }]),
      ...pinned.flatMap((one) => heldFinding(one, polled)),
    ];
    const state = (['fail', 'warn'] as const).find((worst) => found.some((one) => one.state === worst));
    if (state !== undefined) return { check: 'builds', state, message: found.map(({ message }) => message).join('. ') };
    return { check: 'builds', state: 'ok', message: 'every open run is on the current build of its deployment' };
  } catch {
    return undefined;
  }
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
