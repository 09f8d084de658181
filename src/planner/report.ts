import type { ErrorClass } from '../protocol/index.ts';
import { cutCharacters, messageOf, oneLine } from '../plan/text/index.ts';
import type { ModelReply, ModelRequest } from '../models/index.ts';
import { fenced, instructionsFor, type Prompts } from './prompts/index.ts';

export interface FailureFacts {
  readonly severity: ErrorClass;
  readonly task: string;
  /** What failed: a stage of planning, or the title of a node. */
  readonly operation: string;
  readonly message: string;
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly counts?: Readonly<Record<'done' | 'failed', number>>;
}

export interface FailureReport extends FailureFacts {
  readonly advice: string;
  /** The model's analysis of the facts, in at most 500 tokens, or a fixed text without a model. */
  readonly analysis: string;
  readonly isAnalysed: boolean;
  readonly text: string;
}

const ANALYSIS_TOKENS = 500;
const ANALYSIS_CHARACTERS = 4_000;
const FACTS_CHARACTERS = 20_000;
const MAX_LINE = 500;

const NO_ANALYSIS = 'No analysis by a model could be made. What is known is above.';

/** Reports a failure. It never throws: if the model fails too, its part is a fixed text. */
export async function reportFailure(
  facts: FailureFacts,
  ask?: (request: ModelRequest, purpose: string) => Promise<ModelReply>,
  prompts: Prompts = {},
): Promise<FailureReport> {
  const isOfStep = facts.severity === 'REPLANNING' && facts.failed.includes(facts.operation);
  const advice = isOfStep ? PLAN_DOES_NOT_FIT : messageFor(facts.severity);
  const lines = factLines(facts);
  const analysis = await analysisOf(lines, ask, prompts);
  const text = [...lines, advice, analysis ?? NO_ANALYSIS].join('\n');
  return { ...facts, advice, analysis: analysis ?? NO_ANALYSIS, isAnalysed: analysis !== undefined, text };
}

async function analysisOf(
  lines: readonly string[],
  ask: ((request: ModelRequest, purpose: string) => Promise<ModelReply>) | undefined,
  prompts: Prompts,
): Promise<string | undefined> {
  if (ask === undefined) return undefined;
  try {
    const content = `The facts:\n${fenced('the facts of a failed run', lines.join('\n'), FACTS_CHARACTERS)}`;
    const messages = [
      { role: 'system', content: instructionsFor('report', { prompts }) },
      { role: 'user', content },
    ] as const;
    const { text } = await ask({ messages, maxTokens: ANALYSIS_TOKENS }, 'report');
    return text.trim() === '' ? undefined : cutCharacters(text.trim(), ANALYSIS_CHARACTERS);
  } catch {
    return undefined;
  }
}

function factLines({ severity, task, operation, message, done, failed, counts }: FailureFacts): readonly string[] {
  const line = (text: string) => cutCharacters(oneLine(text), MAX_LINE);
  return [
    `Class: ${severity}`,
    `Task: ${line(task)}`,
    `Failed: ${line(operation)}: ${line(messageOf(message))}`,
    `Done: ${counts?.done ?? done.length}, failed: ${counts?.failed ?? failed.length}`,
    ...done.map((step) => `- done: ${line(step)}`),
    ...failed.map((step) => `- failed: ${line(step)}`),
  ];
}

const PLAN_DOES_NOT_FIT =
  'A step says that the plan does not fit what it has found. Let the run replan with onFailure "replan", or change the step and start again.';

const MESSAGES: Readonly<Record<ErrorClass, string>> = {
  RETRIABLE: 'Something failed in passing, and went on failing when it was tried again. Try again later.',
  REPLANNING: 'No valid plan came of the goal. Say the goal in other words, or in smaller parts.',
  RECLASSIFICATION:
    'The goal needs something that the project does not offer. Look at what it can do, and say the goal in those terms.',
  CRITICAL: 'Something is wrong that trying again does not mend. Mend what the message names, then start again.',
  FATAL: 'The run has ended, since going on could have done harm. Look at what was done before starting again.',
};

export function messageFor(severity: ErrorClass): string {
  return MESSAGES[severity];
}
