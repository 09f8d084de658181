/** The decision in a model's reply: one step, the end, or a reply that could not be carried out. */

import { didYouMean, MODEL_LIMITS, type JsonValue } from '../../language/plan/index.ts';
import { isDeeperThan, isRecord } from '../../wire/contract/index.ts';
import { listNames, quote } from '../../language/text/index.ts';
import { jsonOfReply } from '../form/index.ts';
import type { ModelReply } from '../../model/index.ts';
import type { ToolDecision } from '../../define/index.ts';
import type { LoopNotes } from './notes.ts';
import { TASK_FIELD, type ToolMeaning, type Tools } from './tools.ts';

export type ReadDecision =
  | {
      readonly is: 'call';
      readonly meaning: Exclude<ToolMeaning, { is: 'finish' }>;
      /** The purpose of the step, in the model's words; absent where it gives none. */
      readonly task?: string;
      readonly arguments: Readonly<Record<string, JsonValue>>;
      /** Further calls of the same reply: only the first is carried out. */
      readonly ignored: number;
    }
  | { readonly is: 'finish'; readonly answer: string }
  | { readonly is: 'none'; readonly problem: string };

/** Never throws. A text without a call is the answer; an empty one, or one that was cut off, is nothing. */
export function readDecision({ text, toolCalls, finish }: ModelReply, tools: Tools): ReadDecision {
  const [call, ...others] = toolCalls;
  if (call === undefined) {
    if (finish === 'length') return none('The reply was cut off before it was whole. Say less.');
    if (finish === 'refusal')
      return none('The reply is a refusal. Decide a step, or finish and say what is in the way.');
    if (finish === 'content-filter') return none('The reply was stopped by a content filter. Say it in other words.');
    return text.trim() === ''
      ? none(`The reply is empty. Call one of ${listNames(tools.names)}.`)
      : { is: 'finish', answer: text.trim() };
  }
  const meaning = tools.meaningOf(call.name);
  if (meaning === undefined) {
    return none(
      `There is no tool ${quote(call.name)}.${didYouMean(call.name, tools.names)} There are ${listNames(tools.names)}.`,
    );
  }
  if (call.arguments.length > MAX_ARGUMENTS) {
    return none(
      `The arguments of ${call.name} have ${call.arguments.length} characters; at most ${MAX_ARGUMENTS} are read. Name results by their keys.`,
    );
  }
  const given = jsonOfReply({ text: call.arguments.trim() === '' ? '{}' : call.arguments });
  if (!isRecord(given)) return none(`The arguments of ${call.name} are no JSON object. Write them as one.`);
  if (isDeeperThan(MODEL_LIMITS.valueDepth, given)) return none(`The arguments of ${call.name} have too many levels.`);
  const { [TASK_FIELD]: task, ...rest } = given as Readonly<Record<string, JsonValue>>;
  if (meaning.is === 'finish') {
    const { answer } = rest;
    if (answer === undefined) return none('finish: "answer" is missing. Say what the task came to.');
    return { is: 'finish', answer: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  }
  if (meaning.is === 'capability' && meaning.takesTask) {
    return { is: 'call', meaning, arguments: given as typeof rest, ignored: others.length };
  }
  const said = typeof task === 'string' && task.trim() !== '' ? { task: task.trim() } : {};
  return { is: 'call', meaning, ...said, arguments: rest, ignored: others.length };
}

/** The most characters in the arguments of a call: a larger value belongs into the result of a step. */
const MAX_ARGUMENTS = 100_000;

function none(problem: string): ReadDecision {
  return { is: 'none', problem };
}

/** The decision that a policy is given for it. */
export function toolDecision(read: ReadDecision, { results }: LoopNotes): ToolDecision {
  if (read.is === 'none') return { action: 'none', is: 'none', problem: read.problem };
  if (read.is === 'finish') return { action: 'finish', is: 'finish', answer: read.answer };
  const { meaning, task, arguments: args } = read;
  const more = read.ignored === 0 ? {} : { ignored: read.ignored };
  switch (meaning.is) {
    case 'plan':
      return {
        action: 'plan',
        is: 'plan',
        // The goal that people read is the run's own; the name that the model gives its plan is told as the purpose of
        // the step.
        goal: '',
        plan: args['plan'] ?? null,
        objective:
          task ?? (typeof args['goal'] === 'string' && args['goal'].trim() !== '' ? args['goal'] : 'a plan of its own'),
        ...more,
      };
    case 'agent':
      return {
        action: 'agent',
        is: 'agent',
        name: meaning.name,
        arguments: args,
        objective: task ?? `agent ${meaning.name}`,
        ...more,
      };
    case 'capability':
      return {
        action: 'capability',
        is: 'capability',
        name: meaning.name,
        arguments: args,
        objective: task ?? `capability ${meaning.name}`,
        // An argument that is exactly the key of a step takes its result as an input.
        inputs: Object.values(args).flatMap((one) =>
          typeof one === 'string' && Object.hasOwn(results, one) ? [one] : [],
        ),
        ...more,
      };
  }
}
