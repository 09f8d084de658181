/** The beginning of a run: with a plan, a goal, or an agent's task. */

import { given, type AgentInput, type RunOptions, type RunSource, openPlanning } from '../../protocol/index.ts';
import { type Unsaid, parsePlanInput } from '../../protocol/read-input.ts';
import { parseAgentInput } from '../../protocol/agent-input.ts';
import { openLoop } from '../loop/loop.ts';
import { openRun } from './run.ts';
import type { Run } from './in-memory.ts';
import { startOf } from './starter.ts';

/** Where a run comes from, as the server says. */
export interface Origin {
  /** The run id of its first execution. */
  readonly chain: string;
  readonly isChild?: boolean;
  /** Its root, where that is another. */
  readonly root?: string;
}

/** Makes a run of the input of a workflow. @param startedAt when the first run of the chain began, ISO 8601 */
export type Open = (workflowId: string, startedAt: string, input: unknown, origin: Origin) => Run;

/** A run of a plan or a goal; if its input has problems, a run that fails with them. */
export const openPlan: Open = (workflowId, startedAt, input, { chain }) => {
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

/** A run of an agent's task; if its input has a problem, a run that fails with it. */
export const openTask: Open = (workflowId, startedAt, input, { chain, isChild, root }) => {
  const run = openRun(workflowId, startedAt);
  const parsed = parseAgentInput(input);
  // Its worker sees to it that the server names the same chain before an effect begins.
  run.dialogue.chain = isChild === true && parsed.ok ? parsed.input.chain : chain;
  if (parsed.ok) startTask(run, parsed.input, root);
  else fail(run, parsed.problems);
  return run;
};

/**
 * The most problems that a failure's message has room for.
 * @bound problems in the message of a run that fails
 * @beyond counted; all are in the details
 */
const PROBLEMS_TOLD = 5;

function fail({ dialogue }: Run, problems: readonly string[]): void {
  const more = problems.length - PROBLEMS_TOLD;
  const told = problems.slice(0, PROBLEMS_TOLD).join('; ');
  const message = more > 0 ? `${told}; and ${more} more lines of problems in the details` : told;
  dialogue.failure = { type: 'InvalidInput', message, details: [{ problems }] };
}

/** Notes the source of the run and its options. */
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

/** An agent's task. */
function startTask({ dialogue }: Run, input: AgentInput, root: string | undefined): void {
  const { task, options, attempts, key, editors = [], editTokens = [] } = input;
  dialogue.parent = { key, out: {} };
  Object.assign(dialogue, { editors, editTokens, ...given({ start: startOf(input, root) }) });
  dialogue.options = options;
  dialogue.loop = openLoop(task, options.maxRounds, attempts);
}
