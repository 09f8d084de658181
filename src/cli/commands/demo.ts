import { Command, InvalidArgumentError } from 'commander';
import { act, example } from '../act.ts';
import type { DemoOptions } from '../demo/story.ts';

/** Makes a run last long enough to be watched, and to be killed in its middle. */
const DEFAULT_PACE_MS = 700;
const MAX_PACE_MS = 60_000;

export function demoCommand(): Command {
  const command = new Command('demo')
    .description('show a plan that is approved, run, killed in mid-run and goes on; without a name: list the demos')
    .argument('[name]', 'the demo: gene-strategies or control-room')
    .option('-y, --yes', 'approve in advance, and stop everything at the end without waiting')
    .option('--keep', 'leave the server and the worker running')
    .option('--pace <ms>', 'pause before each task and each scripted word, for the eye', parsePace, DEFAULT_PACE_MS)
    .option('--no-kill', 'do not kill the worker');
  example(command, 'planwright demo gene-strategies --yes');
  return act<DemoOptions>(command, async () => (await import('../demo/show-demo.ts')).showDemo);
}

function parsePace(text: string): number {
  const pace = Number(text);
  if (/^\d+$/.test(text) && pace <= MAX_PACE_MS) return pace;
  throw new InvalidArgumentError(`expected milliseconds from 0 to ${MAX_PACE_MS}.`);
}
