/** Parses the input of an agent's run. The parent run writes it, but a person may also start such a run by hand. */

import { describe, isDeeperThan, isMalformed, isRecord } from './payload.ts';
import { AGENT_TASK } from './loop.ts';
import { SIGNED_START, type RunOptions, type SignedStart } from './options.ts';
import { MAX_LEVELS, MAX_RULES, parseOptions } from './read-options.ts';
import { CHAIN } from './requests.ts';
import { maybe, problemOf, typed, type Of } from './shape.ts';

const AGENT_INPUT = {
  ...CHAIN,
  task: AGENT_TASK,
  goal: 'text',
  options: typed<RunOptions>('record'),
  /** Maximum number of consecutive model replies that are not a step. */
  attempts: 'count',
  /** Untrusted sources in the parent's plan that reach this agent's node. */
  untrusted: 'text?',
  key: 'name',
  start: maybe(typed<SignedStart>(SIGNED_START)),
  /** The authors of the parent run's plan, and the signed messages that prove their authorship. */
  editors: maybe(['text']),
  editTokens: maybe(['text']),
} as const;

/** The input of an agent's run, written by the parent run. Steps with effects ask people, as in any other run. */
export interface AgentInput extends Of<typeof AGENT_INPUT> {}

export type ParsedAgentInput =
  | { readonly ok: true; readonly input: AgentInput }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Never throws. The options are checked as for any run, so that input written by hand cannot weaken the approval. */
export function parseAgentInput(input: unknown): ParsedAgentInput {
  if (isMalformed(input)) return refuse(`the input could not be decoded: ${input.reason}`);
  if (!isRecord(input) || !isRecord(input['task']))
    return refuse('$: expected the input that a run gives to its agents; start planWorkflow with a plan instead');
  if (isDeeperThan(MAX_LEVELS, input)) return refuse(`$: expected at most ${MAX_LEVELS} levels`);
  const problem = problemOf(AGENT_INPUT, input);
  if (problem !== undefined) return refuse(problem);
  const problems: string[] = [];
  const {
    approvalDeadlineMs: approvalDeadline,
    answerDeadlineMs: answerDeadline,
    ...rest
  } = input['options'] as Record<string, unknown>;
  // A parent run adds a rule to the rules for its agents, so agents may have one rule more.
  const options = parseOptions({ ...rest, approvalDeadline, answerDeadline }, problems, MAX_RULES + 1);
  if (options.mode !== 'reactive') problems.push(`$.options.mode: expected "reactive", got ${describe(rest['mode'])}`);
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, input: { ...(input as unknown as AgentInput), options } };
}

function refuse(problem: string): ParsedAgentInput {
  return { ok: false, problems: [problem] };
}
