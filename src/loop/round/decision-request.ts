/** The request to a model that decides the next step: who it is, the task, the steps so far and their results. */

import type { Agent, Capability, DecidingTask } from '../../define/index.ts';
import type { ModelMessage, ModelRequest } from '../../model/index.ts';
import { fenced, instructionsFor, type Prompts } from '../prompts/index.ts';
import type { LoopNotes, NotedRound } from './notes.ts';
import type { Tools } from './tools.ts';

export interface Deciding {
  readonly task: DecidingTask;
  readonly notes: LoopNotes;
  readonly agent?: Agent;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly tools: Tools;
  readonly prompts: Prompts;
  /** The fault of the reply before. */
  readonly trouble?: string;
}

const TEXT_CHARACTERS = 20_000;
const INPUT_CHARACTERS = 20_000;
const OBSERVED_CHARACTERS = 20_000;
const HISTORY_CHARACTERS = 50_000;
const TROUBLE_CHARACTERS = 4_000;

/**
 * The instructions come first and hold nothing of the task, so that they are the same bytes for every task of an agent
 * and every round of it. Text from outside is fenced as data.
 */
export function decisionRequest({
  task,
  notes,
  agent,
  capabilities,
  agents,
  tools,
  prompts,
  trouble,
}: Deciding): ModelRequest {
  const instructions = instructionsFor('reactive', { capabilities, agents, prompts });
  const own = agent === undefined ? '' : `\n\n# You are ${agent.name}\n${agent.instructions}`;
  const messages: ModelMessage[] = [
    { role: 'system', content: `${instructions}${own}` },
    { role: 'user', content: [...taskBlocks(task), ...earlierBlock(notes)].join('\n\n') },
  ];
  messages.push(...roundMessages(notes));
  if (trouble !== undefined) {
    messages.push({
      role: 'user',
      content: `Your last reply could not be carried out:\n${fenced('what was wrong with it', trouble, TROUBLE_CHARACTERS)}\nDecide again.`,
    });
  }
  return { messages, tools: tools.tools };
}

function taskBlocks({ goal, task, hint, context, arguments: args, inputs }: DecidingTask): readonly string[] {
  return [
    `The goal:\n${fenced('the goal', goal, TEXT_CHARACTERS)}`,
    ...(task === undefined ? [] : [`Your task, a part of it:\n${fenced('the task', task, TEXT_CHARACTERS)}`]),
    ...(hint === undefined ? [] : [`A hint:\n${fenced('the hint', hint, TEXT_CHARACTERS)}`]),
    ...(context === undefined ? [] : [`What belongs to it:\n${fenced('the context', context, TEXT_CHARACTERS)}`]),
    ...(args === undefined ? [] : [`Its arguments:\n${fenced('the arguments', args, TEXT_CHARACTERS)}`]),
    ...inputs.map(({ name, text }) => `What it is given:\n${fenced(`the result ${name}`, text, INPUT_CHARACTERS)}`),
  ];
}

/** Osprey: execution history: ordered by round. */
function historyOf({ lines, left }: LoopNotes): string | undefined {
  if (lines.length === 0) return undefined;
  const told = left === 0 ? lines : [`(${left} steps before these are left out)`, ...lines];
  return `Steps before, a line each:\n${fenced('the history of steps', told.join('\n'), HISTORY_CHARACTERS)}`;
}

function earlierBlock({ earlier = [] }: LoopNotes): readonly string[] {
  if (earlier.length === 0) return [];
  const told = fenced('results of earlier runs', earlier.join('\n'), TEXT_CHARACTERS);
  return [`Results of earlier runs; an argument that is exactly a key takes that result:\n${told}`];
}

/** The steps so far, bounded: older steps a line each in one message, then the last rounds whole. */
export function roundMessages(notes: LoopNotes): readonly ModelMessage[] {
  const history = historyOf(notes);
  const first: readonly ModelMessage[] = history === undefined ? [] : [{ role: 'user', content: history }];
  return [...first, ...notes.recent.flatMap(messagesOf)];
}

/** Osprey: messages go decision, observation, decision, ... */
function messagesOf({ round, call, said, observed }: NotedRound): readonly ModelMessage[] {
  const id = `step_${round}`;
  const result = fenced(`what came of ${id}`, observed ?? '', OBSERVED_CHARACTERS);
  if (call === undefined) {
    return [
      { role: 'assistant', content: said === '' ? '(nothing)' : said },
      { role: 'user', content: result },
    ];
  }
  return [
    { role: 'assistant', content: said, toolCalls: [{ id, ...call }] },
    { role: 'tool', content: result, toolCallId: id },
  ];
}
