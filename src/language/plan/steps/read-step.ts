/** Reading one step of a list. */

import { cutCharacters, describeValue } from '../../text/index.ts';
import { below, farBelow } from '../issues/index.ts';
import { isPlainObject } from '../plain-object.ts';
import { presentKey, readName, readText, readValue } from '../read-field.ts';
import { readStepInputs } from './read-step-inputs.ts';
import { findReferences, mayRefer } from './references.ts';
import { STEP_ARGUMENT_KEYS, STEP_ID_KEYS, reportUnreadStepKeys } from './step-keys.ts';
import type { JsonValue } from '../compiled-plan.ts';
import type { Place } from '../issues/index.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';
import type { StepDraft, StepReference } from './step-draft.ts';

/** Reads one step; `position` counts from 1. Undefined, with an issue, when it is no object. */
export function readStep(value: unknown, place: Place, position: number, reading: Reading): StepDraft | undefined {
  if (!isPlainObject(value)) {
    reading.issues.add('error', 'not-a-step', place, () => ({
      message: `A step belongs here, and this is ${describeValue(value)}. Write an object with "context_key", "capability" and "task_objective", or with "step_id", "agent" and "action".`,
      expected: 'an object',
      got: describeValue(value),
    }));
    return undefined;
  }
  const source = { node: value, place, nodeId: echoedId(value) };
  reportUnreadStepKeys(source, reading);
  const contextKey = readContextKey(source, position, reading);
  const objective = readText(source, ['task_objective'], reading, 'invalid-task');
  const action = readText(source, ['action'], reading);
  const description = readText(source, ['description'], reading);
  const expectedOutput = readText(source, ['expected_output'], reading);
  const successCriteria = readText(source, ['success_criteria'], reading);
  const task = objective ?? description ?? action;
  if (task === undefined) refuseWithoutTask(source, reading);
  const capability = readName(source, 'capability', reading);
  const agent = readName(source, 'agent', reading);
  const argumentsKey = STEP_ARGUMENT_KEYS.find((key) => value[key] != null) ?? 'arguments';
  const args = readValue(source, STEP_ARGUMENT_KEYS, reading, 'invalid-arguments');
  const references = readStepInputs(source, reading);
  addTextReferences(objective, place, 'task_objective', references);
  addTextReferences(action, place, 'action', references);
  addTextReferences(description, place, 'description', references);
  addTextReferences(expectedOutput, place, 'expected_output', references);
  addTextReferences(successCriteria, place, 'success_criteria', references);
  if (mayRefer(args.text)) addTextReferences(JSON.parse(args.text) as JsonValue, place, argumentsKey, references);
  return {
    kind: 'task',
    place,
    nodeId: source.nodeId,
    contextKey,
    task: task ?? '',
    hint: undefined,
    context: undefined,
    capability: isAnswer(capability) ? capability.toLowerCase() : capability,
    arguments: args.text,
    argumentsKey,
    argumentsRead: args.ok,
    agent,
    displayName: undefined,
    action,
    description,
    expectedOutput,
    successCriteria,
    references,
    takesAll: false,
  };
}

/** Osprey: `respond` and `clarify`, in any case, end a list of steps. */
export function isAnswer(capability: string | undefined): capability is string {
  return capability !== undefined && /^(?:respond|clarify)$/i.test(capability);
}

const MAX_KEY_LENGTH = 200;

function readContextKey(source: NodeSource, position: number, reading: Reading): string {
  const before = reading.issues.errors;
  const key = presentKey(source, STEP_ID_KEYS, reading);
  const value = key === undefined ? undefined : source.node[key];
  // Calute numbers its steps, so that a number is as good as a text here.
  const isNumber = key === 'step_id' && typeof value === 'number' && Number.isFinite(value);
  const contextKey = isNumber
    ? String(value)
    : readText(
        source,
        STEP_ID_KEYS.filter((each) => each === key),
        reading,
        'invalid-step-key',
      );
  if (contextKey !== undefined && contextKey !== '__proto__' && contextKey.length <= MAX_KEY_LENGTH) return contextKey;
  if (contextKey !== undefined) {
    reading.issues.add(
      'error',
      'invalid-step-key',
      below(source.place, key!),
      () => ({
        message: `This cannot be the key of a result. Choose another one of at most ${MAX_KEY_LENGTH} characters.`,
        expected: `a text of at most ${MAX_KEY_LENGTH} characters`,
        got: describeValue(contextKey),
      }),
      source.nodeId,
    );
  } else if (reading.issues.errors === before) {
    reading.issues.add(
      'warning',
      'missing-step-key',
      source.place,
      () => ({
        message: `The step has no "context_key" and no "step_id"; its result is known as "${position}". Give it a key of its own.`,
        expected: 'a text',
      }),
      source.nodeId,
    );
  }
  return String(position);
}

function refuseWithoutTask(source: NodeSource, reading: Reading): void {
  reading.issues.add(
    'error',
    'missing-task',
    source.place,
    () => ({
      message: 'The step does not say what is to be done. Say it in "task_objective", or in "description" or "action".',
      expected: 'a text',
    }),
    source.nodeId,
  );
}

function addTextReferences(value: JsonValue | undefined, place: Place, key: string, references: StepReference[]): void {
  if (value === undefined || (typeof value === 'string' && !mayRefer(value))) return;
  for (const { step, path } of findReferences(value)) {
    references.push({ name: step, from: 'text', place: () => farBelow(below(place, key), path) });
  }
}

const MAX_ID_LENGTH = 100;

function echoedId({ context_key: key, step_id: id }: NodeSource['node']): string | undefined {
  const written = key ?? id;
  if (typeof written === 'number') return String(written);
  return typeof written === 'string' ? cutCharacters(written, MAX_ID_LENGTH) : undefined;
}
