import { describeValue, quote } from '../text/index.ts';
import { below, nodeAt } from '../issues/index.ts';
import { NAMES, OTHER_NAMES } from '../names.ts';
import { isPlainObject } from '../plain-object.ts';
import { presentKey, readName, readText, readJsonValue } from '../read-field.ts';
import { readStepInputs } from './read-step-inputs.ts';
import { readWords, withResultNames } from '../read-result-names.ts';
import { STEP_TEXTS, readStepKeys } from './step-keys.ts';
import type { Place } from '../issues/index.ts';
import type { NodeSource, Reading, StepDraft } from '../plan-reading.ts';

/** Reads one step; `position` counts from 1. Undefined, with an issue, if it is none. */
export function readStep(
  given: unknown,
  written: Place,
  position: number,
  reading: Reading,
  before?: StepDraft,
): StepDraft | undefined {
  const value = typeof given === 'string' && given.trim() !== '' ? { task_objective: given } : given;
  if (!isPlainObject(value)) {
    reading.issues.add('error', 'not-a-step', written, () => ({
      message: `A step belongs here, and this is ${describeValue(value)}. Write an object with "context_key", "capability" and "task_objective", or with "step_id", "agent" and "action".`,
      expected: 'an object',
      got: describeValue(value),
    }));
    return undefined;
  }
  const at = nodeAt(written, value['context_key'] ?? value['step_id']);
  const { source, unread } = readStepKeys({ node: value, place: at }, position, reading);
  const { node, place } = source;
  const contextKey = readContextKey(source, position, reading, value !== given);
  const objective = readText(source, ['task_objective'], reading, 'invalid-task');
  const texts: { [Field in (typeof STEP_TEXTS)[number][1]]?: string | undefined } = {};
  for (const [key, field] of STEP_TEXTS) texts[field] = readText(source, [key], reading);
  const capability = readName(source, 'capability', reading);
  const agent = readName(source, 'agent', reading);
  const argumentsKey = NAMES.step.arguments.keys.find((key) => node[key] != null) ?? 'arguments';
  const args = readJsonValue(source, NAMES.step.arguments.keys, reading, 'invalid-arguments');
  const references = readStepInputs(source, reading);
  const task =
    objective ??
    texts.description ??
    texts.action ??
    readText(
      source,
      OTHER_NAMES.slice(0, 2)
        .filter((key) => node[key] != null)
        .slice(0, 1),
      reading,
    ) ??
    calledTask(source, args.text === undefined ? undefined : capability, reading);
  // A text has no inputs of its own; it means the ones before it.
  if (value !== given && before !== undefined)
    references.push({ name: before.contextKey, from: 'dependencies', place: written });
  const naming = { reading, takes: references };
  readWords(objective, place, 'task_objective', naming);
  for (const [key, field] of STEP_TEXTS) readWords(texts[field], place, key, naming);
  return {
    kind: 'task',
    place,
    contextKey,
    task: task ?? '',
    capability: isAnswer(capability) ? capability.toLowerCase() : capability,
    arguments: withResultNames(args.text, below(place, argumentsKey), naming),
    argumentsKey,
    argumentsRead: args.ok,
    unread,
    agent,
    ...texts,
    references,
    takesAll: false,
  };
}

/** Osprey: `respond` and `clarify`, in any case, end a list of steps. */
export function isAnswer(capability: string | undefined): capability is string {
  return capability !== undefined && /^(?:respond|clarify)$/i.test(capability);
}

const MAX_KEY_LENGTH = 200;

function readContextKey(source: NodeSource, position: number, reading: Reading, isText: boolean): string {
  const before = reading.issues.errors;
  const key = presentKey(source, NAMES.step.contextKey.keys, reading);
  const value = key === undefined ? undefined : source.node[key];
  // Calute numbers its steps, so a number is as good as a text here.
  const isNumber = key === 'step_id' && typeof value === 'number' && Number.isFinite(value);
  const contextKey = isNumber
    ? String(value)
    : readText(
        source,
        NAMES.step.contextKey.keys.filter((each) => each === key),
        reading,
        'invalid-step-key',
      );
  if (contextKey !== undefined && contextKey !== '__proto__' && contextKey.length <= MAX_KEY_LENGTH) return contextKey;
  if (contextKey !== undefined) {
    reading.issues.add('error', 'invalid-step-key', below(source.place, key!), () => ({
      message: `This cannot be the key of a result. Choose another one of at most ${MAX_KEY_LENGTH} characters.`,
      expected: `a text of at most ${MAX_KEY_LENGTH} characters`,
      got: describeValue(contextKey),
    }));
  } else if (reading.issues.errors === before) {
    reading.issues.add('warning', 'missing-step-key', source.place, () => ({
      message: `The step has no "context_key" and no "step_id"; its result is known as "${position}"${isText ? ', and it takes that of the one before it' : ''}. Give it a key of its own.`,
      expected: 'a text',
    }));
  }
  return String(position);
}

/** A call with arguments needs no other text; anything else does. */
function calledTask({ place }: NodeSource, capability: string | undefined, { issues }: Reading): string | undefined {
  issues.add(capability ? 'warning' : 'error', 'missing-task', place, () => ({
    message: `The step does not say what is to be done${capability ? `, and its capability ${quote(capability)} is taken for it` : ''}. Say it in "task_objective", or in "description" or "action".`,
    expected: 'a text',
  }));
  return capability;
}
