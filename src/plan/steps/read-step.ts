import { describeValue, quote, briefJson } from '../text/index.ts';
import { below, nodeAt, type Place } from '../issues/index.ts';
import { NAMES, OTHER_NAMES } from '../names.ts';
import { isPlainObject } from '../plain-object.ts';
import { presentKey, readName, readText, readJsonValue, readTextAt } from '../read-field.ts';
import { readWords, withResultNames } from '../read-result-names.ts';
import { STEP_TEXTS, readStepKeys } from './find-step.ts';
import type { NodeSource, Reading, StepDraft, StepReference } from '../plan-reading.ts';
import { readDependencyText } from '../dependency-text.ts';
import { isNodeId } from '../node-id.ts';
import type { NodeId } from '../compiled-plan.ts';

/** Reads one step; undefined, with an issue, if the value is not a step. `position` counts from 1. */
export function readStep(
  rawStep: unknown,
  written: Place,
  position: number,
  reading: Reading,
  before?: StepDraft,
): StepDraft | undefined {
  const value = typeof rawStep === 'string' && rawStep.trim() !== '' ? { task_objective: rawStep } : rawStep;
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
  const contextKey = readContextKey(source, position, reading, value !== rawStep);
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
  // If a step is only a text, it has no inputs, so it takes the result of the previous step.
  if (value !== rawStep && before !== undefined)
    references.push({ name: before.contextKey, from: 'dependencies', place: written });
  const naming = { reading, takes: references };
  readWords(objective, place, 'task_objective', naming);
  // `undoes` is not searched for names of results: it has a workflow id, which may look like one.
  for (const [key, field] of STEP_TEXTS) if (field !== 'undoes') readWords(texts[field], place, key, naming);
  checkUndoes(source, texts.undoes, capability, reading);
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

function checkUndoes(
  { place }: NodeSource,
  text: string | undefined,
  capability: string | undefined,
  reading: Reading,
) {
  if (text === undefined || (capability !== undefined && readUndone(text) !== undefined)) return;
  reading.issues.add('error', 'invalid-undoes', below(place, 'undoes'), () => ({
    message: `A step with "undoes" has a "capability", and names one node of a closed run as ${UNDOES_FORM}. Let "planwright undo RUN" write it.`,
    expected: UNDOES_FORM,
    got: quote(text),
  }));
}

/** Whether the capability is `respond` or `clarify`, in any case. As in Osprey, these end a list of steps. */
export function isAnswer(capability: string | undefined): capability is string {
  return capability !== undefined && /^(?:respond|clarify)$/i.test(capability);
}

const MAX_KEY_LENGTH = 200;

function readContextKey(source: NodeSource, position: number, reading: Reading, isText: boolean): string {
  const before = reading.issues.errors;
  const key = presentKey(source, NAMES.step.contextKey.keys, reading);
  const value = key === undefined ? undefined : source.node[key];
  // Calute numbers its steps, so a number counts as text here.
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

/** If a step has a capability and arguments, it needs no other text. Otherwise a missing text is an error. */
function calledTask({ place }: NodeSource, capability: string | undefined, { issues }: Reading): string | undefined {
  issues.add(capability ? 'warning' : 'error', 'missing-task', place, () => ({
    message: `The step does not say what is to be done${capability ? `, and its capability ${quote(capability)} is taken for it` : ''}. Say it in "task_objective", or in "description" or "action".`,
    expected: 'a text',
  }));
  return capability;
}

function readStepInputs(source: NodeSource, reading: Reading): StepReference[] {
  const references: StepReference[] = [];
  readList('inputs', 'keys of earlier steps, each a text or an object { "TYPE": "key" }', readInput);
  readList('dependencies', 'ids of earlier steps', readDependency);
  return references;

  function readList(
    key: 'inputs' | 'dependencies',
    what: string,
    readEntry: (entry: unknown, place: Place) => void,
  ): void {
    const written = source.node[key];
    if (written === undefined || written === null) return;
    const place = below(source.place, key);
    const isText = key === 'dependencies' && typeof written === 'string';
    const list = isText ? readDependencyText(written.trim()).ids : written;
    if (isText) {
      reading.issues.add('warning', 'coerced-text', place, () => ({
        message: `${quote(written)} is read as the dependencies ${briefJson(list)}. Write a list.`,
        expected: 'a list',
      }));
    }
    if (Array.isArray(list)) {
      for (let index = 0; index < list.length && reading.budget.left >= 0; index++) {
        reading.budget.left--;
        readEntry(list[index], below(place, index));
      }
    } else refuse(list, place, `"${key}" is a list of ${what}`, 'a list');
  }

  function readInput(entry: unknown, place: Place): void {
    if (!isPlainObject(entry)) return addName(entry, place, 'inputs');
    const types = Object.keys(entry);
    if (types.length === 0) refuse(entry, place, 'An input is a key, or an object { "TYPE": "key" }', 'a key');
    for (const type of types) {
      // The plan stores the type, so it must be well-formed text.
      const name = readTextAt(type, place, type, reading, 'invalid-inputs');
      if (name === undefined) refuse(type, below(place, type), 'The type of an input is a word', 'a text');
      else addName(entry[type], below(place, type), 'inputs', name);
    }
  }

  function readDependency(entry: unknown, place: Place): void {
    addName(typeof entry === 'number' && Number.isFinite(entry) ? String(entry) : entry, place, 'dependencies');
  }

  function addName(entry: unknown, place: Place, from: 'inputs' | 'dependencies', type?: string): void {
    const before = reading.issues.errors;
    const name = readTextAt(entry, place.parent!, place.step, reading, 'invalid-inputs');
    if (name === undefined && reading.issues.errors === before)
      refuse(entry, place, 'The name of a step belongs here', 'a text');
    if (name !== undefined) references.push({ name, from, place, ...(type !== undefined && { type }) });
  }

  function refuse(value: unknown, place: Place, rule: string, expected: string): void {
    reading.issues.add('error', 'invalid-inputs', place, () => ({
      message: `${rule}; this is ${describeValue(value)}.`,
      expected,
      got: describeValue(value),
    }));
  }
}

export interface UndoneNode {
  /** The run that did the effect; if an agent did it, the agent's run. */
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly node: NodeId;
  /** The node's identity in its run (`Revision.bindingOf`): 43 characters. */
  readonly key: string;
}

/** The form of the text, for messages. */
const UNDOES_FORM = 'NODE of WORKFLOW_ID, first run id RUN_ID, key KEY';
const TEXT = /^(\S+) of (.+), first run id ([\w-]{1,100}), key ([\w-]{43})$/su;

/** @example undoneText({ node: 'node_3', ... }); // 'node_3 of plan-1, first run id 0196..., key x7f...' */
export function undoneText({ node, workflowId, firstRunId, key }: UndoneNode): string {
  return `${node} of ${workflowId}, first run id ${firstRunId}, key ${key}`;
}

export function readUndone(text: string): UndoneNode | undefined {
  const [, node = '', workflowId = '', firstRunId = '', key = ''] = TEXT.exec(text) ?? [];
  return isNodeId(node) ? { node, workflowId, firstRunId, key } : undefined;
}
