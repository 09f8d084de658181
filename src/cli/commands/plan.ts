/** How `planwright plan` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { duration, text, texts } from '../options/index.ts';
import { PROJECT } from './tables.ts';

export function planCommand(): Command {
  const command = new Command('plan')
    .summary('make a plan for a goal; needs no server')
    .description('make a plan for a goal by a model, and show it; needs no server, and runs nothing')
    .argument('<goal>', 'what the plan is for, in words');
  example(command, "planwright plan 'Compare two markets' --config planwright.config.ts --out plan.json");
  const { config, demo } = PROJECT;
  const table = {
    config,
    demo,
    model: text('<url>', 'ask this server, which speaks the protocol of OpenAI, instead of the configured one'),
    modelName: text('<name>', 'ask this model'),
    answer: texts('answer', 'answers to what the planner asks, in the order of its questions'),
    out: text('<file>', 'write the plan document to this file, which must not be there'),
    timeout: duration('plan no longer than this'),
  };
  return act(command, table, ACTIONS.plan);
}
