/** What a run begins with: a plan, a goal, or an agent's task. */

import type { AgentInput, RunOptions, RunSource } from '../contract/index.ts';
import { openLoop } from './loop/index.ts';
import { openPlanning } from './planning/index.ts';
import type { Run } from './run.ts';

/** What the run is to do, and how. */
export function start({ dialogue }: Run, source: RunSource, options: RunOptions): void {
  dialogue.options = options;
  if (!('goal' in source)) {
    dialogue.source = source;
    return;
  }
  if (options.mode === 'reactive') {
    dialogue.loop = openLoop({ goal: source.goal }, options.maxRounds);
    return;
  }
  dialogue.planning = openPlanning(source.goal, options.mode);
  dialogue.plannings = 1;
}

/** An agent's task. */
export function startTask({ dialogue }: Run, { task, options, attempts, word }: AgentInput): void {
  dialogue.family = { word, told: 0 };
  dialogue.options = options;
  dialogue.loop = openLoop(task, options.maxRounds, attempts);
}
