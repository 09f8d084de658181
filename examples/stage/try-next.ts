/** Commands for after a demo. */

import { shortPath, type Stage } from './stage.ts';

/**
 * The lines that come before every command about the run of the demo. A server that is stopped keeps its runs in its database
 * file; `planwright dev` starts it again on the same one. `taskQueue`: of the worker; by default the one that runs are
 * started on.
 */
export function reachRun({ demo, server, storeDir }: Stage, stays: boolean, taskQueue?: string): readonly string[] {
  const isBack = server.started && !stays;
  const queue = taskQueue === undefined ? '' : ` --task-queue ${taskQueue}`;
  return [
    `export PLANWRIGHT_STORE=${shortPath(storeDir)}`,
    ...(isBack ? [] : [`export TEMPORAL_ADDRESS=${server.address}`]),
    ...(stays ? [] : [`npx planwright ${server.started ? 'dev' : 'worker'} --demo ${demo.name}${queue} &`]),
  ];
}

export function temporalCli({ server }: Stage): string {
  return shortPath(server.cliPath ?? 'temporal');
}
