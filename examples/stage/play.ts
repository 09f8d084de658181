/** A demo from its first line to its last. It stops all that it starts, on Ctrl-C too. */

import { setMaxListeners } from 'node:events';
import type { Backstage, Output } from './backstage.ts';
import { createCleanup } from './cleanup.ts';
import { wrap } from '../words.ts';
import type { Demo, Scene, StoryEnd, TellOptions } from './demo.ts';
import { openStage, shortPath, type StageOptions } from './stage.ts';
import { StoryError } from './story-error.ts';

/** Tells the story of a demo. @throws StoryError, and the error of a server that cannot be found or started. */
export async function play(
  demo: Demo,
  options: TellOptions,
  output: Output,
  backstage: Backstage,
): Promise<StoryEnd['ended']> {
  const screen = backstage.createScreen(output);
  const cleanup = createCleanup();
  const interruption = new AbortController();
  // Every call to the server listens to it.
  setMaxListeners(0, interruption.signal);
  const interrupt = () =>
    interruption.abort(new StoryError('interrupted', 'interrupted; all that the demo started is stopped'));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    const { signal } = interruption;
    const told = tell({ demo, options, backstage, screen, cleanup, signal }, output);
    return await Promise.race([told, rejection(signal)]);
  } finally {
    await cleanup.run();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

async function tell(on: StageOptions, output: Output): Promise<StoryEnd['ended']> {
  const story = await on.demo.loadStory();
  const scene = await openScene(on, output);
  // A call that is still open when the connection is closed would be tried again on it.
  const end = await scene.stage.client.connection.withAbortSignal(on.signal, () => story(scene));
  await leaveScene(scene, end);
  return end.ended;
}

/** The room of the names of what is there. */
const NAME = ' '.repeat(11);

async function openScene(on: StageOptions, output: Output): Promise<Scene> {
  const { screen, options } = on;
  const stage = await openStage(on);
  const { server, ledgerFile } = stage;
  const worker = await stage.startWorker();
  const [at = '', ...how] = wrap(
    `${server.address}, ${server.started ? 'started' : 'found'} (${server.how})`,
    screen.width - NAME.length,
  );
  screen.say(
    `  server   ${at}`,
    ...how.map((part) => NAME + part),
    `  worker   process ${worker.pid}`,
    `  files    ${shortPath(ledgerFile.replace(/\.ledger\.jsonl$/, '.*'))}`,
  );
  return { stage, worker, options, output };
}

async function leaveScene({ stage, options }: Scene, { worker, stays }: StoryEnd): Promise<void> {
  const { server, screen, backstage, cleanup, signal } = stage;
  if (worker === undefined) return;
  if (options.keep) {
    worker.release();
    const pids = [worker.pid, ...(server.pid === undefined ? [] : [server.pid])];
    screen.say(
      '',
      `${server.started ? 'Server and worker go' : 'The worker goes'} on. To stop: kill ${pids.join(' ')}`,
    );
    cleanup.forget();
  } else if (stays) {
    screen.say(
      '',
      `Press ${screen.paint('bold', 'q')} to stop ${server.started ? 'the server and the worker' : 'the worker'}.`,
      'Until then the commands above work.',
    );
    await backstage.askKey(['q'], signal);
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
