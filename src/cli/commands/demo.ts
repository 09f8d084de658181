/** `planwright demo`: tells the story of a demo, or lists the demos. */

import { DEMO_NAMES, findDemo, loadExamples } from '../../config/project/index.ts';
import { OperationError, type ExitName } from '../../operations/index.ts';
import { defineCommand, type Typed } from '../define-command.ts';
import { flag, negated, text, type OptionKind } from '../options.ts';
import type { Output } from '../terminal/index.ts';

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

const NAME = { 'name?': `the demo: ${DEMO_NAMES.join(' or ')}` };
const FLAGS = {
  yes: flag('approve in advance, and stop everything at the end without waiting', '-y'),
  keep: flag('leave the server and the worker running'),
  pace: pace('pause before each task and each scripted word, for the eye'),
  kill: negated('do not kill the worker'),
  goal: flag('begin with the goal in words, which a scripted planner makes a plan of'),
  reactive: flag('begin with words, and let a scripted model decide one step after the other'),
  model: text('<url>', 'ask this server, which speaks the protocol of OpenAI, instead of the scripted model'),
  modelName: text('<name>', 'ask this model; default: the only one that the server has'),
};

export const demoCommand = defineCommand({
  name: 'demo',
  description: 'show a plan that is approved, run, killed in mid-run and goes on; without a name: list the demos',
  examples: ['planwright demo gene-strategies --yes'],
  arguments: NAME,
  flags: FLAGS,
  run: (typed, { output }) => tell(typed, output),
});

async function tell({ name, ...options }: Typed<typeof NAME, typeof FLAGS>, output: Output): Promise<ExitName> {
  const { DEMOS, play } = await loadExamples();
  if (name === undefined) {
    const listed = DEMOS.map(({ name: named, title, asks }) => ({ name: named, title, asks }));
    output.print(
      { ok: true, demos: listed },
      () => listed.map((one) => `${one.name}  ${one.title}`).join('\n'),
      () => listed,
    );
    return 'done';
  }
  const found = await findDemo(name);
  if (!found.ok) throw new OperationError('NO_DEMO', found.message);
  const { yes = false, keep = false, pace: paceMs, kill, goal = false } = options;
  const { planner } = found.demo;
  if (options.reactive === true && found.demo.reactive !== true) {
    const reactive = DEMOS.flatMap((one) => (one.reactive === true ? [one.name] : []));
    throw new OperationError(
      'USAGE',
      `${name} is not told step by step; leave out --reactive, or name ${reactive.join(' or ')}`,
    );
  }
  if (planner === 'none' && (goal || options.model !== undefined)) {
    const why = options.reactive === true ? 'asks its scripted model alone' : 'asks no model';
    throw new OperationError('USAGE', `${name} ${why}; leave out ${goal ? '--goal' : '--model'}`);
  }
  const { typedModel } = await import('../typed-model.ts');
  const model = await typedModel(options);
  const isAlone = !yes && !output.canAsk;
  const { speakerOf } = await import('../reading/index.ts');
  const { by } = speakerOf({ demo: name });
  if (isAlone && found.demo.asks) output.note(`Nobody can be asked here: the demo approves as "${by}".`);
  const { BACKSTAGE } = await import('../backstage.ts');
  const fromGoal = goal || model !== undefined || planner === 'always';
  const told = {
    yes: yes || isAlone,
    keep,
    paceMs,
    kill,
    by,
    fromGoal,
    ...(model !== undefined && { model }),
    ...(options.reactive === true && { reactive: options.reactive }),
  };
  return play(found.demo, told, output, BACKSTAGE);
}
