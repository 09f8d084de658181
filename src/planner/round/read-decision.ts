/** The decision in a model's reply: one step, the end, or a reply that could not be carried out. */

import { didYouMean, MODEL_LIMITS, type JsonValue } from '../../plan/index.ts';
import { isDeeperThan, isRecord } from '../../protocol/index.ts';
import { listNames, quote } from '../../plan/text/index.ts';
import { jsonOfReply } from '../form/index.ts';
import type { ModelReply, ToolCall } from '../../models/index.ts';
import type { ReadStep, ToolDecision } from '../../capabilities/index.ts';
import type { LoopNotes } from './notes.ts';
import { textCalls } from './text-calls.ts';
import { FINISH, TASK_FIELD, type ToolMeaning, type Tools } from './tools.ts';

export type ReadDecision =
  /** `ignored`: further calls of the same reply, which are not carried out. */
  | (Called & { readonly ignored: number })
  /** Several calls that only read: one decision, a result each. A call that cannot be carried out leaves the others. */
  | { readonly is: 'reads'; readonly calls: readonly (Called | NoStep)[]; readonly ignored: number }
  | { readonly is: 'finish'; readonly answer: string }
  | NoStep;

interface Called {
  readonly is: 'call';
  readonly meaning: Exclude<ToolMeaning, { is: 'finish' }>;
  /** The purpose of the step, in the model's words; absent where it gives none. */
  readonly task?: string;
  readonly arguments: Readonly<Record<string, JsonValue>>;
}

interface NoStep {
  readonly is: 'none';
  /** The tool that was called. */
  readonly of?: string;
  readonly problem: string;
  /** The reply says something, and calls nothing. */
  readonly isUnclear?: true;
}

/** The calls of one reply that are carried out as one decision. */
export const MOST_READS = 16;
/** The most characters in the arguments of a call: a larger value belongs into the result of a step. */
const MAX_ARGUMENTS = 100_000;

/**
 * Never throws. Text that is a call is read as one; other text is no step (Osprey: unclear replies), and never the answer:
 * `finish` alone ends the loop.
 * @param together several calls may be one decision where all of them only read
 */
export function readDecision({ text, toolCalls, finish }: ModelReply, tools: Tools, together = false): ReadDecision {
  const read = toolCalls.length > 0 ? { calls: toolCalls, said: text } : textCalls(text, tools);
  const [call, ...others] = read.calls;
  if (call === undefined) return noCall(text, read.said, finish, tools);
  const isRead = ({ name }: Written) => {
    const meaning = tools.meaningOf(name);
    return meaning?.is === 'capability' && meaning.isRead;
  };
  if (together && others.length > 0 && read.calls.every(isRead)) {
    const calls = read.calls.slice(0, MOST_READS).map((one) => readCall(one, tools));
    return {
      is: 'reads',
      calls: calls.filter((one) => one.is !== 'finish'),
      ignored: read.calls.length - calls.length,
    };
  }
  const first = readCall(call, tools);
  return first.is === 'call' ? { ...first, ignored: others.length } : first;
}

function noCall(text: string, said: string, finish: ModelReply['finish'], tools: Tools): NoStep {
  if (finish === 'length') return none('The reply was cut off before it was whole. Say less.');
  if (finish === 'refusal')
    return none(`The reply is a refusal: ${quote(text)} Decide a step, or finish and say what is in the way.`);
  if (finish === 'content-filter') return none('The reply was stopped by a content filter. Say it in other words.');
  if (text.trim() === '') return none(`The reply is empty. Call one of ${listNames(tools.names)}.`);
  const began = said === '' ? 'it holds thoughts alone' : `it begins ${quote(said)}`;
  const problem = `The reply calls no tool; ${began}. Expected a call of one of ${listNames(tools.names)}. If that text is the answer, call ${FINISH} with it as "answer".`;
  return { ...none(problem), isUnclear: true };
}

type Written = Omit<ToolCall, 'id'>;

function readCall(call: Written, tools: Tools): Called | Extract<ReadDecision, { is: 'finish' }> | NoStep {
  const of = call.name;
  const meaning = tools.meaningOf(call.name);
  if (meaning === undefined) {
    return none(
      `There is no tool ${quote(call.name)}.${didYouMean(call.name, tools.names)} There are ${listNames(tools.names)}.`,
    );
  }
  if (call.arguments.length > MAX_ARGUMENTS) {
    return none(
      `The arguments of ${of} have ${call.arguments.length} characters; at most ${MAX_ARGUMENTS} are read. Name results by their keys.`,
      of,
    );
  }
  const written = jsonOfReply({ text: /^\s*(?:null)?\s*$/.test(call.arguments) ? '{}' : call.arguments });
  // Some servers write the arguments as a text of their JSON.
  const given = typeof written === 'string' ? jsonOfReply({ text: written }) : written;
  if (!isRecord(given)) return none(`The arguments of ${of} are no JSON object. Write them as one.`, of);
  if (isDeeperThan(MODEL_LIMITS.valueDepth, given)) return none(`The arguments of ${of} have too many levels.`, of);
  const { [TASK_FIELD]: task, ...rest } = given as Readonly<Record<string, JsonValue>>;
  if (meaning.is === 'finish') {
    const { answer } = rest;
    if (answer === undefined) return none('finish: "answer" is missing. Say what the task came to.', of);
    return { is: 'finish', answer: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  }
  if (meaning.is === 'capability' && meaning.takesTask) return { is: 'call', meaning, arguments: given as typeof rest };
  const said = typeof task === 'string' ? task.trim() : '';
  return { is: 'call', meaning, ...(said !== '' && { task: said }), arguments: rest };
}

function none(problem: string, of?: string): NoStep {
  return { is: 'none', problem, ...(of !== undefined && { of }) };
}

/** The decision that a policy is given for it. */
export function toolDecision(read: ReadDecision, { results }: Pick<LoopNotes, 'results'>): ToolDecision {
  switch (read.is) {
    case 'none':
      return { action: 'none', is: 'none', problem: read.problem };
    case 'finish':
      return { action: 'finish', is: 'finish', answer: read.answer };
    case 'reads': {
      const calls = read.calls.map((one) => readStep(one, results));
      return { action: 'reads', is: 'reads', calls, ...ignoredOf(read) };
    }
    case 'call':
      return { ...callDecision(read, results), ...ignoredOf(read) };
  }
}

function ignoredOf({ ignored }: { readonly ignored: number }): { readonly ignored?: number } {
  return ignored === 0 ? {} : { ignored };
}

function readStep(one: Called | NoStep, results: LoopNotes['results']): ReadStep {
  if (one.is === 'none') {
    const { of = '', problem } = one;
    return { name: of, arguments: {}, objective: `capability ${of}`, problem };
  }
  const { meaning, task, arguments: args } = one;
  const name = meaning.is === 'plan' ? '' : meaning.name;
  return { name, arguments: args, objective: task ?? `capability ${name}`, inputs: keysIn(args, results) };
}

/** An argument that is exactly the key of a step takes its result as an input. */
function keysIn(args: Called['arguments'], results: LoopNotes['results']): readonly string[] {
  return Object.values(args).flatMap((one) => (typeof one === 'string' && Object.hasOwn(results, one) ? [one] : []));
}

function callDecision({ meaning, task, arguments: args }: Called, results: LoopNotes['results']): ToolDecision {
  switch (meaning.is) {
    case 'plan':
      return {
        action: 'plan',
        is: 'plan',
        // The goal that people read is the run's own; the name that the model gives its plan is told as the purpose of
        // the step.
        goal: '',
        plan: args['plan'] ?? args,
        objective:
          task ?? (typeof args['goal'] === 'string' && args['goal'].trim() !== '' ? args['goal'] : 'a plan of its own'),
      };
    case 'agent':
      return {
        action: 'agent',
        is: 'agent',
        name: meaning.name,
        arguments: args,
        objective: task ?? `agent ${meaning.name}`,
      };
    case 'capability':
      return {
        action: 'capability',
        is: 'capability',
        name: meaning.name,
        arguments: args,
        objective: task ?? `capability ${meaning.name}`,
        inputs: keysIn(args, results),
      };
  }
}
