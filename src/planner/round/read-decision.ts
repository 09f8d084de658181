import { didYouMean, MODEL_LIMITS, type JsonValue } from '../../plan/index.ts';
import { isDeeperThan, isRecord } from '../../protocol/index.ts';
import { listNames, quote } from '../../plan/text/index.ts';
import { jsonOfReply } from '../form/index.ts';
import type { ModelReply, ToolCall } from '../../models/index.ts';
import type { ToolDecision } from '../../capabilities/index.ts';
import type { ReadStep, Step } from '../../capabilities/policy/index.ts';
import { textCalls } from './text-calls.ts';
import { FINISH, TASK_FIELD, type Tools } from './tools.ts';

export interface ReadDecision {
  readonly decision: ToolDecision;
  readonly isUnclear: boolean;
}

export interface DecisionOptions {
  /** The results by key. An argument that is exactly a key becomes an input of the step. */
  readonly results?: Readonly<Record<string, unknown>>;
  readonly together?: boolean;
}

/** Maximum number of calls of one reply that run as one decision. */
export const MAX_READS = 16;
/** Maximum characters of a call's arguments. A larger value should be the result of a step. */
const MAX_ARGUMENTS = 100_000;

/**
 * Reads a decision; it never throws. Text in the form of a call is read as a call. Other text is not a step (Osprey:
 * unclear replies), and never the answer: only `finish` ends the loop. Further calls are counted as `ignored`. If one
 * of several reads is invalid, the others are not affected.
 */
export function readDecision(
  { text, toolCalls, finish }: ModelReply,
  tools: Tools,
  { results = {}, together = false }: DecisionOptions = {},
): ReadDecision {
  const read = toolCalls.length > 0 ? { calls: toolCalls, said: text } : textCalls(text, tools);
  const [call, ...others] = read.calls;
  if (call === undefined) return noCall(text, read.said, finish, tools);
  const readOnly = read.calls.flatMap(({ name }) => {
    const meaning = tools.meaningOf(name);
    return meaning?.is === 'capability' && meaning.isRead ? [meaning.name] : [];
  });
  if (together && others.length > 0 && readOnly.length === read.calls.length) {
    const calls = read.calls.slice(0, MAX_READS).map((one, at) => asRead(stepIn(one, tools, results), readOnly[at]!));
    return decided({ is: 'reads', calls }, read.calls.length - calls.length);
  }
  const step = stepIn(call, tools, results);
  return decided(step, step.is === 'none' || step.is === 'finish' ? 0 : others.length);
}

function decided(step: Step, ignored: number): ReadDecision {
  return { decision: { action: step.is, ...step, ...(ignored > 0 && { ignored }) } as ToolDecision, isUnclear: false };
}

function noCall(text: string, thoughts: string, finish: ModelReply['finish'], tools: Tools): ReadDecision {
  if (finish === 'length') return decided(none('The reply was cut off before it was whole. Say less.'), 0);
  if (finish === 'refusal') {
    const problem = `The reply is a refusal: ${quote(text)} Decide a step, or finish and say what is in the way.`;
    return decided(none(problem), 0);
  }
  if (finish === 'content-filter')
    return decided(none('The reply was stopped by a content filter. Say it in other words.'), 0);
  if (text.trim() === '') return decided(none(`The reply is empty. Call one of ${listNames(tools.names)}.`), 0);
  const began = thoughts === '' ? 'it holds thoughts alone' : `it begins ${quote(thoughts)}`;
  const problem = `The reply calls no tool; ${began}. Expected a call of one of ${listNames(tools.names)}. If that text is the answer, call ${FINISH} with it as "answer".`;
  return { ...decided(none(problem), 0), isUnclear: true };
}

function stepIn(
  { name: of, arguments: text }: Omit<ToolCall, 'id'>,
  tools: Tools,
  results: NonNullable<DecisionOptions['results']>,
): Step {
  const meaning = tools.meaningOf(of);
  if (meaning === undefined)
    return none(`There is no tool ${quote(of)}.${didYouMean(of, tools.names)} There are ${listNames(tools.names)}.`);
  if (text.length > MAX_ARGUMENTS) {
    const limit = `at most ${MAX_ARGUMENTS} are read. Name results by their keys.`;
    return none(`The arguments of ${of} have ${text.length} characters; ${limit}`);
  }
  const written = jsonOfReply({ text: /^\s*(?:null)?\s*$/.test(text) ? '{}' : text });
  // Some servers send the arguments as JSON text that contains JSON text.
  const parsed = typeof written === 'string' ? jsonOfReply({ text: written }) : written;
  if (!isRecord(parsed)) return none(`The arguments of ${of} are no JSON object. Write them as one.`);
  if (isDeeperThan(MODEL_LIMITS.valueDepth, parsed)) return none(`The arguments of ${of} have too many levels.`);
  const { [TASK_FIELD]: task, ...rest } = parsed as Readonly<Record<string, JsonValue>>;
  const taskText = textIn(task);
  switch (meaning.is) {
    case 'finish': {
      const { answer } = rest;
      if (answer === undefined) return none('finish: "answer" is missing. Say what the task came to.');
      return { is: 'finish', answer: typeof answer === 'string' ? answer : JSON.stringify(answer) };
    }
    case 'plan':
      // The run has its own goal, which people see, so the model's goal becomes the purpose of the step.
      return {
        is: 'plan',
        goal: '',
        plan: rest['plan'] ?? rest,
        objective: taskText ?? textIn(rest['goal']) ?? 'a plan of its own',
      };
    case 'agent':
      return { is: 'agent', name: meaning.name, arguments: rest, objective: taskText ?? `agent ${meaning.name}` };
    case 'capability': {
      const { name, takesTask } = meaning;
      const args = takesTask ? (parsed as typeof rest) : rest;
      const inputs = Object.values(args).filter(
        (one): one is string => typeof one === 'string' && Object.hasOwn(results, one),
      );
      return {
        is: 'capability',
        name,
        arguments: args,
        objective: (takesTask ? undefined : taskText) ?? `capability ${name}`,
        inputs,
      };
    }
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function none(problem: string): Extract<Step, { is: 'none' }> {
  return { is: 'none', problem };
}

function asRead(step: Step, name: string): ReadStep {
  if (step.is === 'capability')
    return { name, arguments: step.arguments, objective: step.objective, inputs: step.inputs ?? [] };
  const problem = step.is === 'none' ? step.problem : '';
  return { name, arguments: {}, objective: `capability ${name}`, problem };
}
