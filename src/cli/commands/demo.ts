/** `planwright demo`: tells the story of a demo, or lists the demos. */

import { DEMO_NAMES } from '../../edge/project/index.ts';
import { OperationError } from '../../operations/index.ts';
import { defineCommand } from '../define-command.ts';
import { flag, negated, text, type OptionKind } from '../options.ts';

/** Makes a run last long enough to be watched, and to be killed in its middle. */
const DEFAULT_PACE_MS = 700;
const MAX_PACE_MS = 60_000;

function pace(description: string): OptionKind<number> {
  return { description, placeholder: '<ms>', initial: DEFAULT_PACE_MS, read: readPace };
}

function readPace(typed: string, option: string): number {
  const ms = Number(typed);
  if (/^\d+$/.test(typed) && ms <= MAX_PACE_MS) return ms;
  throw new OperationError('USAGE', `${option}: expected milliseconds from 0 to ${MAX_PACE_MS}, got "${typed}"`);
}

export const demoCommand = defineCommand({
  name: 'demo',
  description: 'show a plan that is approved, run, killed in mid-run and goes on; without a name: list the demos',
  examples: ['planwright demo gene-strategies --yes'],
  arguments: { 'name?': `the demo: ${DEMO_NAMES.join(' or ')}` },
  flags: {
    yes: flag('approve in advance, and stop everything at the end without waiting', '-y'),
    keep: flag('leave the server and the worker running'),
    pace: pace('pause before each task and each scripted word, for the eye'),
    kill: negated('do not kill the worker'),
    goal: flag('begin with the goal in words, which a scripted planner makes a plan of'),
    reactive: flag('begin with words, and let a scripted model decide one step after the other'),
    model: text('<url>', 'ask this server, which speaks the protocol of OpenAI, instead of the scripted model'),
    modelName: text('<name>', 'ask this model; default: the only one that the server has'),
  },
  async run(typed, { output }) {
    const { demo } = await import('../demo.ts');
    return demo(typed, output, typed.name);
  },
});
