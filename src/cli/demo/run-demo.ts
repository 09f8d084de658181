/** A demo from its first line to its last. Whatever it starts it also stops, on Ctrl-C too. */

import { setMaxListeners } from 'node:events';
import { CliError } from '../cli-error.ts';
import type { Output } from '../output.ts';
import { askKey } from './ask-key.ts';
import { createCleanup } from './cleanup.ts';
import type { Demo } from './demos.ts';
import { createScreen } from './screen.ts';
import { openStage, shortPath, type StageOptions } from './stage.ts';
import type { DemoOptions, Scene, Story, StoryEnd } from './story.ts';

/** Returns the exit code that the story ends with. */
export async function runDemo(demo: Demo, story: Story, options: DemoOptions, output: Output): Promise<number> {
  const screen = createScreen(output);
  const cleanup = createCleanup();
  const interruption = new AbortController();
  // Every call to the server listens to it.
  setMaxListeners(0, interruption.signal);
  const interrupt = () =>
    interruption.abort(new CliError('INTERRUPTED', 'interrupted; all that the demo started is stopped'));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    const { keep = false, pace } = options;
    const { signal } = interruption;
    const played = play(story, options, output, { demo, paceMs: pace, keep, screen, cleanup, signal });
    return await Promise.race([played, rejection(signal)]);
  } finally {
    screen.settle();
    await cleanup.run();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

async function play(story: Story, options: DemoOptions, output: Output, on: StageOptions): Promise<number> {
  const scene = await openScene(options, output, on);
  // A call that is still open when the connection is closed would be tried again on it.
  const end = await scene.stage.client.connection.withAbortSignal(on.signal, () => story(scene));
  await leaveScene(scene, end);
  return end.code;
}

async function openScene(options: DemoOptions, output: Output, on: StageOptions): Promise<Scene> {
  const { screen } = on;
  const { paint } = screen;
  screen.say(
    '',
    `${paint('bold', 'Planwright')}: a plan that is shown, approved, run on Temporal, and survives a crash.`,
    '',
  );
  const stage = await openStage(on);
  const { server, ledgerFile } = stage;
  const worker = await stage.startWorker();
  screen.say(
    `  server   ${server.address}${paint('dim', server.started ? `, started (${server.how})` : `, found (${server.how})`)}`,
    `  worker   process ${worker.pid}`,
    `  files    ${shortPath(ledgerFile.replace(/\.ledger\.jsonl$/, '.*'))}`,
  );
  return { stage, worker, options, output };
}

async function leaveScene({ stage, options }: Scene, { worker, stays }: StoryEnd): Promise<void> {
  const { server, screen, cleanup, signal } = stage;
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
      `Press ${screen.paint('bold', 'q')} to stop ${server.started ? 'the server and the worker' : 'the worker'}; until then the commands above work.`,
    );
    await askKey(['q'], signal);
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
