import type { PlanningTrouble, Question } from '../../protocol/index.ts';
import type { Capability, Agent } from '../../capabilities/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import { planFormat } from '../form/index.ts';
import type { JsonSchema, ModelFormat, ModelMessage, ModelRequest } from '../../models/index.ts';
import type { PlannerNotes, PlannerTurn } from '../notes.ts';
import { type PromptName, type Prompts, filled, fenced, fencedEnd, DATA_RULE } from './templates.ts';
import { PROMPTS } from './built-in.ts';
import { agentLines, capabilityGuides } from './guides.ts';

const GOAL_CHARACTERS = 20_000;
const HISTORY_CHARACTERS = 20_000;
const MEMORY_CHARACTERS = 8_000;
const RESULT_CHARACTERS = 2_000;
const RESULTS = 50;
const REPLY_CHARACTERS = 40_000;
const ANSWER_CHARACTERS = 8_000;
const TROUBLE_CHARACTERS = 4_000;
/**
 * Maximum characters of a plan that a model revises. A model would drop nodes that it does not see.
 * @bound a plan that a model revises @beyond planning fails: edit it by hand
 */
export const BASE_CHARACTERS = 100_000;

/** What a stage asks: the name of the reply's format, the fields of the reply, and prompt blocks after the task's. */
export interface StageQuestion {
  readonly format: string;
  readonly reply: { readonly [field: string]: JsonSchema };
  readonly blocks?: readonly string[];
}

export function stageRequest(
  name: PromptName,
  notes: PlannerNotes,
  { format, reply, blocks = [] }: StageQuestion,
  instructed: Instructed,
): ModelRequest {
  return request(instructionsFor(name, instructed), [user([...goalBlocks(notes), ...blocks])], formatOf(format, reply));
}

export function selectRequest(
  notes: PlannerNotes,
  capabilities: readonly Capability[],
  trouble: PlanningTrouble | undefined,
  prompts: Prompts,
): ModelRequest {
  const blocks: string[] = [];
  if (trouble !== undefined) {
    const fencedTrouble = fenced('what went wrong with the selection before', trouble.message, TROUBLE_CHARACTERS);
    blocks.push(`The selection before did not lead to a plan. Look again.\n${fencedTrouble}`);
  }
  const names = { type: 'array', items: { enum: capabilities.map(({ name }) => name) } };
  const question = { format: 'selection', reply: { capabilities: names }, blocks };
  return stageRequest('select', notes, question, { prompts, capabilities });
}

export function writeRequest(notes: PlannerNotes, instructed: Instructed): ModelRequest {
  const { capabilities = [], agents = [], hasDefault = false } = instructed;
  const more = { hasDefault, asks: true, isRevision: notes.revise !== undefined };
  return request(instructionsFor('write', instructed), conversationOf(notes), planFormat(capabilities, agents, more));
}

/** The request for a plan in XML. Such a plan has no JSON Schema, and cannot contain a question. */
export function xmlRequest(notes: PlannerNotes, instructed: Instructed): ModelRequest {
  return request(instructionsFor('xml', instructed), conversationOf(notes));
}

function conversationOf(notes: PlannerNotes): readonly ModelMessage[] {
  const parts = [...goalBlocks(notes), ...contextBlocks(notes), ...revisionBlocks(notes)];
  return [user(parts), ...notes.turns.flatMap(turnMessages)];
}

function request(system: string, messages: readonly ModelMessage[], format?: ModelFormat): ModelRequest {
  return {
    messages: [{ role: 'system', content: system }, ...messages],
    ...(format !== undefined && { format }),
  };
}

function user(parts: readonly string[]): ModelMessage {
  return { role: 'user', content: parts.join('\n\n') };
}

function formatOf(name: string, properties: { readonly [field: string]: JsonSchema }): ModelFormat {
  const required = Object.keys(properties);
  const schema = { type: 'object', properties, required, additionalProperties: false };
  return { name, schema, isJudgedByReader: true };
}

function goalBlock({ goal }: PlannerNotes): string {
  return `The goal:\n${fenced('the goal', goal, GOAL_CHARACTERS)}`;
}

function goalBlocks(notes: PlannerNotes): readonly string[] {
  const { goal, task, usesHistory, usesMemory } = notes;
  const blocks = [goalBlock(notes), ...conversationBlocks(notes, usesHistory, usesMemory)];
  return task === goal ? blocks : [...blocks, `The task that it sets:\n${fenced('the task', task, GOAL_CHARACTERS)}`];
}

function conversationBlocks(
  { conversation }: PlannerNotes,
  withHistory: boolean,
  withMemory: boolean,
): readonly string[] {
  const { history, memory } = conversation;
  const blocks: string[] = [];
  if (withHistory && history !== undefined) {
    blocks.push(`What was said before:\n${fencedEnd('the conversation', history, HISTORY_CHARACTERS)}`);
  }
  if (withMemory && memory !== undefined) {
    blocks.push(`What is remembered:\n${fenced('memory', memory, MEMORY_CHARACTERS)}`);
  }
  return blocks;
}

/** Lists the results of earlier runs. As in Osprey (context reuse), each key has its type and objective. */
function contextBlocks({ context, conversation }: PlannerNotes): readonly string[] {
  const blocks: string[] = [];
  if (context.length > 0) {
    const lines = context.slice(0, RESULTS).map(({ key, type, objective }) => {
      const made = objective === undefined ? '' : `, made for: ${oneLine(objective)}`;
      return `${JSON.stringify(key)}${type === undefined ? '' : ` of type ${oneLine(type)}`}${made}`;
    });
    if (context.length > RESULTS) lines.push(`and ${context.length - RESULTS} more`);
    const fencedKeys = fenced('keys of results', lines.join('\n'), RESULTS * RESULT_CHARACTERS);
    blocks.push(`Results from outside the plan that tasks may take by their keys:\n${fencedKeys}`);
  }
  const results = (conversation.results ?? []).filter(({ text }) => text !== undefined);
  for (const { key, text = '' } of results.slice(-RESULTS)) {
    blocks.push(`A result of an earlier run:\n${fenced('an earlier result', `${key}:\n${text}`, RESULT_CHARACTERS)}`);
  }
  return blocks;
}

function revisionBlocks({ revise }: PlannerNotes): readonly string[] {
  if (revise === undefined) return [];
  const open = `The plan that is open:\n${fenced('the open plan', revise.base, BASE_CHARACTERS)}`;
  if (revise.lost !== undefined) {
    const went = fenced('how the plan went', revise.feedback, GOAL_CHARACTERS);
    return [open, `How its nodes went when they were carried out:\n${went}`, ANEW];
  }
  return [
    open,
    `What a person wants changed in it:\n${fenced('the wish of a person', revise.feedback, GOAL_CHARACTERS)}`,
    'Write the whole plan with that change, and every node that does not have to change exactly as it is.',
  ];
}

const ANEW =
  'Write the whole plan anew, so that it reaches the goal in spite of that. A node that failed cannot stay as it is: give it other ' +
  'arguments, another capability or other inputs, or do without it. Write every node that does not have to change exactly as it ' +
  'is: what is done is not done again.';

function turnMessages(turn: PlannerTurn): readonly ModelMessage[] {
  if (turn.is === 'question') {
    const { question, answer } = turn;
    const asking: ModelMessage = { role: 'assistant', content: JSON.stringify({ nodes: [asNode(question)] }) };
    if (answer === undefined) return [asking, user([UNANSWERED])];
    const fencedAnswer = fenced('the answer of a person', JSON.stringify(answer), ANSWER_CHARACTERS);
    return [asking, user([`A person has answered:\n${fencedAnswer}`, 'Go on with that.'])];
  }
  const { reply, trouble } = turn;
  const fencedTrouble = fenced('what is wrong with the reply', trouble, TROUBLE_CHARACTERS);
  return [
    ...(reply.trim() === '' ? [] : [{ role: 'assistant', content: cutCharacters(reply, REPLY_CHARACTERS) } as const]),
    user([`That is no valid plan:\n${fencedTrouble}`, 'Write the whole plan again, with all of that mended.']),
  ];
}

function asNode({ text, ...more }: Question): object {
  return { question: text, ...more };
}

const UNANSWERED = 'Nobody has answered. Assume what is most likely, and say in the explanation what you assumed.';

interface Instructed {
  readonly capabilities?: readonly Capability[];
  readonly agents?: readonly Agent[];
  readonly prompts?: Prompts;
  readonly hasDefault?: boolean;
}

/** The system message of a stage. It depends only on the project, so that servers can cache it. */
export function instructionsFor(
  name: PromptName,
  { capabilities = [], agents = [], prompts = {}, hasDefault = false }: Instructed = {},
): string {
  const { template, rules, form } = PROMPTS[name];
  const text = filled(prompts[name] ?? template, {
    capabilities: capabilityGuides(capabilities),
    agents: agentLines(agents),
    rules,
    form: typeof form === 'string' ? form : form({ capabilities, agents, hasDefault }),
  });
  return `${text}\n\n# Data\n${DATA_RULE}`;
}
