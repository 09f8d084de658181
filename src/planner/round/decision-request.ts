import type { Agent, Capability, DecidingTask } from '../../capabilities/index.ts';
import type { ModelMessage, ModelRequest } from '../../models/index.ts';
import { counted } from '../../plan/text/index.ts';
import { fenced, instructionsFor, type Prompts } from '../prompts/index.ts';
import type { LoopNotes, NotedRound } from './notes.ts';
import { stepKey } from '../../protocol/index.ts';
import type { Tools } from './tools.ts';

export interface Deciding {
  readonly task: DecidingTask;
  readonly notes: LoopNotes;
  readonly agent?: Agent;
  readonly tools: Tools;
  readonly prompts: Prompts;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly together: boolean;
  /** The name of the model. Its own reasoning is sent back to it. Default: no reasoning is sent. */
  readonly model?: string;
}

const TEXT_CHARACTERS = 20_000;
const INPUT_CHARACTERS = 20_000;
const OBSERVED_CHARACTERS = 20_000;
const HISTORY_CHARACTERS = 50_000;

/**
 * Builds the request for a decision. Instructions are the same for every task and round of an agent, and rounds are
 * appended, so that servers can cache the request. Text from outside is marked as data.
 */
export function decisionRequest({
  task,
  notes,
  agent,
  capabilities,
  agents,
  tools,
  prompts,
  together,
  model,
}: Deciding): ModelRequest {
  const instructions = instructionsFor('reactive', { capabilities, agents, prompts });
  const own = agent === undefined ? '' : `\n\n# You are ${agent.name}\n${agent.instructions}`;
  const messages: readonly ModelMessage[] = [
    { role: 'system', content: `${instructions}${own}` },
    { role: 'user', content: [...decidingBlocks(task), ...earlierBlock(notes)].join('\n\n') },
    ...roundMessages(notes, model),
  ];
  return { messages, tools: tools.tools, toolChoice: 'required', ...(!together && { parallelToolCalls: false }) };
}

const TASK_BLOCKS: readonly (readonly [keyof Omit<DecidingTask, 'inputs'>, words: string, label: string])[] = [
  ['goal', 'The goal:', 'the goal'],
  ['task', 'Your task, a part of it:', 'the task'],
  ['action', 'The action that it is:', 'the action'],
  ['description', 'More about it:', 'the description'],
  ['hint', 'A hint:', 'the hint'],
  ['context', 'What belongs to it:', 'the context'],
  ['arguments', 'Its arguments:', 'the arguments'],
  ['expectedOutput', 'The type of the result that is expected:', 'the expected output'],
  ['successCriteria', 'It is done when:', 'the success criteria'],
];

function decidingBlocks({ inputs, ...task }: DecidingTask): readonly string[] {
  const blocks = TASK_BLOCKS.flatMap(([field, words, label]) => {
    const text = task[field];
    const isNeedless = text === undefined || (field !== 'task' && text === task.task);
    return isNeedless ? [] : [`${words}\n${fenced(label, text, TEXT_CHARACTERS)}`];
  });
  const results = inputs.map(
    ({ name, text }) => `What it is given:\n${fenced(`the result ${name}`, text, INPUT_CHARACTERS)}`,
  );
  return [...blocks, ...results];
}

function historyOf({ lines, left }: LoopNotes): string | undefined {
  if (lines.length === 0) return undefined;
  const steps = left === 0 ? lines : [`(${left} steps before these are left out)`, ...lines];
  return `Steps before, a line each:\n${fenced('the history of steps', steps.join('\n'), HISTORY_CHARACTERS)}`;
}

function earlierBlock({ earlier = [] }: LoopNotes): readonly string[] {
  if (earlier.length === 0) return [];
  const fencedResults = fenced('results of earlier runs', earlier.join('\n'), TEXT_CHARACTERS);
  return [`Results of earlier runs; an argument that is exactly a key takes that result:\n${fencedResults}`];
}

/** The messages about the steps so far: one with a line for each older step, then the last rounds in full. */
export function roundMessages(notes: LoopNotes, model?: string): readonly ModelMessage[] {
  const history = historyOf(notes);
  const first: readonly ModelMessage[] = history === undefined ? [] : [{ role: 'user', content: history }];
  const rounds = [...new Set(notes.recent.map(({ round }) => round))];
  return [
    ...first,
    ...rounds.flatMap((round) =>
      messagesOf(
        notes.recent.filter((one) => one.round === round),
        model,
      ),
    ),
  ];
}

/** The messages of a round. As in Osprey, decisions and observations alternate; a result has its call's id. */
function messagesOf(calls: readonly NotedRound[], model: string | undefined): readonly ModelMessage[] {
  const [{ said = '', ignored = 0, thoughts } = {}] = calls;
  const more = ignored === 0 ? '' : `\n${counted(ignored, 'more call')} of that reply ${LEFT}`;
  const callTexts = calls.map(({ round, key, call, observed = '' }) => {
    const id = key ?? stepKey(round);
    return { id, call, content: `${fenced(`what came of ${id}`, observed, OBSERVED_CHARACTERS)}${more}` };
  });
  const written = callTexts.flatMap(({ id, call }) => (call === undefined ? [] : [{ id, ...call }]));
  if (written.length === 0) {
    return [
      { role: 'assistant', content: said === '' ? '(nothing)' : said },
      ...callTexts.map(({ content }): ModelMessage => ({ role: 'user', content })),
    ];
  }
  const own = thoughts !== undefined && thoughts.model === model && { reasoning: thoughts.items };
  return [
    { role: 'assistant', content: calls.length > 1 ? '' : said, toolCalls: written, ...own },
    ...callTexts.map(({ id, content }): ModelMessage => ({ role: 'tool', content, toolCallId: id })),
  ];
}

const LEFT = 'not carried out: one step at a time, but for reads.';
