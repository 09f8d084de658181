/** Lets a server end with the process that started it. */

import type { ChildProcess } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends the child when this process ends, on its own or by a signal. If somebody else listens for the signal too, the
 * child stays until the process has really ended, so that a worker can drain first. When this process is killed with
 * SIGKILL the child stays; that cannot be helped.
 * @returns a function that takes the watch off again.
 */
export function endWithParent(child: ChildProcess): () => void {
  const onExit = () => void child.kill('SIGTERM');
  const onSignal = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) return;
    release();
    onExit();
    process.kill(process.pid, signal);
  };
  const release = () => {
    process.off('exit', onExit);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  process.on('exit', onExit);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return release;
}
