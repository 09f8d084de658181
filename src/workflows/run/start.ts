/** Opens a run with a plan, a goal, or an agent's task. */

import { given, type AgentInput, type RunOptions, type RunSource, openPlanning } from '../../protocol/index.ts';
import { type Unsaid, parsePlanInput } from '../../protocol/read-input.ts';
import { parseAgentInput } from '../../protocol/agent-input.ts';
import { openLoop } from '../loop/loop.ts';
import { openRun } from './run.ts';
import type { Run } from './in-memory.ts';
import { startOf } from './starter.ts';

/** The origin of a run, as the server reports it. */
export interface RunOrigin {
  /** The run id of its first execution. */
  readonly chain: string;
  readonly isChild?: boolean;
  /** Its root, if that is another run. */
  readonly root?: string;
}

/** Opens a run from the input of a workflow. @param startedAt when the first history of the run began, ISO 8601 */
export type Open = (workflowId: string, startedAt: string, input: unknown, origin: RunOrigin) => Run;

/** A run of a plan or a goal; a run that fails with the problems if its input has some. */
export const openPlanRun: Open = (workflowId, startedAt, input, { chain }) => {
  const run = openRun(workflowId, startedAt);
  run.dialogue.chain = chain;
  const parsed = parsePlanInput(input);
  if (!parsed.ok) {
    fail(run, parsed.problems);
    return run;
  }
  if (parsed.token !== undefined) {
    run.dialogue.start = { signed: { token: parsed.token, run: workflowId, at: startedAt } };
  }
  start(run, parsed.source, parsed.options, parsed.unsaid);
  return run;
};

/** A run of an agent's task; a run that fails with the problem if its input has one. */
export const openTaskRun: Open = (workflowId, startedAt, input, { chain, isChild, root }) => {
  const run = openRun(workflowId, startedAt);
  const parsed = parseAgentInput(input);
  // Before an effect begins, its worker checks that the server names the same first run.
  run.dialogue.chain = isChild === true && parsed.ok ? parsed.input.chain : chain;
  if (parsed.ok) startTask(run, parsed.input, root);
  else fail(run, parsed.problems);
  return run;
};

/** Problems in a failure's message; the details have all. */
const PROBLEMS_TOLD = 5;

function fail({ dialogue }: Run, problems: readonly string[]): void {
  const more = problems.length - PROBLEMS_TOLD;
  const told = problems.slice(0, PROBLEMS_TOLD).join('; ');
  const message = more > 0 ? `${told}; and ${more} more lines of problems in the details` : told;
  dialogue.failure = { type: 'InvalidInput', message, details: [{ problems }] };
}

/** Sets the source of the run and its options. */
function start({ dialogue }: Run, source: RunSource, options: RunOptions, unsaid: Unsaid | undefined): void {
  dialogue.options = options;
  if (!('goal' in source)) {
    dialogue.source = source;
    return;
  }
  if (options.mode === 'reactive') {
    dialogue.loop = openLoop({ goal: source.goal }, options.maxRounds);
    return;
  }
  dialogue.planning = { ...openPlanning(source.goal, options.mode), ...given({ unsaid }) };
  dialogue.plannings = 1;
}

function startTask({ dialogue }: Run, input: AgentInput, root: string | undefined): void {
  const { task, options, attempts, key, editors = [], editTokens = [] } = input;
  dialogue.parent = { key, out: {} };
  Object.assign(dialogue, { editors, editTokens, ...given({ start: startOf(input, root) }) });
  dialogue.options = options;
  dialogue.loop = openLoop(task, options.maxRounds, attempts);
}
