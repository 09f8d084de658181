import { describeValue, quote } from '../text/index.ts';
import { didYouMean, below } from '../issues/index.ts';
import { governs } from '../governing-words.ts';
import { NAMES, OTHER_NAMES, keysOf } from '../names.ts';
import { isPlainObject } from '../plain-object.ts';
import { readText } from '../read-field.ts';
import { isAnswer, readStep } from './read-step.ts';
import { resolveReferences } from './resolve-references.ts';
import type { Complexity } from '../compiled-plan.ts';
import type { NodeSource, Reading, StepDraft, StepInputs, WrittenNode } from '../plan-reading.ts';

const WORDS: readonly Complexity[] = ['low', 'medium', 'high'];

/** Calute's complexity: low, medium or high, in any case. Any other value counts as medium, with a warning. */
function readComplexity(source: NodeSource, reading: Reading): Complexity | undefined {
  const written = source.node['complexity'] ?? undefined;
  const word = typeof written === 'string' ? written.trim().toLowerCase() : written;
  if (word === undefined || word === '') return undefined;
  const known = WORDS.find((each) => each === word);
  if (known !== undefined) return known;
  reading.issues.add('warning', 'invalid-complexity', below(source.place, 'complexity'), () => ({
    message: `"complexity" is ${describeValue(written)}; it is read as "medium". Write "low", "medium" or "high".`,
    expected: WORDS,
    got: describeValue(written),
  }));
  return 'medium';
}

/** Calute's estimate: a number of minutes, also as text. Any other value counts as unknown, with a warning. */
function readEstimate(source: NodeSource, reading: Reading): number | undefined {
  const written = source.node['estimated_time'] ?? undefined;
  if (written === undefined || (typeof written === 'string' && written.trim() === '')) return undefined;
  const [minutes, isPlain] = minutesOf(written);
  if (minutes !== undefined && isPlain) return minutes;
  const counts = minutes === undefined ? 'it is not read' : `it is read as ${minutes} minutes`;
  reading.issues.add('warning', 'invalid-estimate', below(source.place, 'estimated_time'), () => ({
    message: `"estimated_time" is ${describeValue(written)}; ${counts}. Write a number of minutes.`,
    expected: 'a number of minutes, 0 or more',
    got: describeValue(written),
  }));
  return minutes;
}

function minutesOf(written: unknown): readonly [number | undefined, boolean] {
  if (typeof written === 'number')
    return [Number.isFinite(written) && written >= 0 ? Math.abs(written) : undefined, true];
  if (typeof written !== 'string' || written.length > 40) return [undefined, false];
  const match = /^(\d+(?:\.\d+)?)\s*(m|min|mins|minutes?)?$/i.exec(written.trim());
  return match === null ? [undefined, false] : [Number(match[1]), match[2] === undefined];
}

export interface ReadSteps {
  readonly goal: string;
  readonly steps: readonly StepDraft[];
  readonly inputs: readonly StepInputs[];
  readonly complexity: Complexity | undefined;
  readonly estimatedMinutes: number | undefined;
}

const GOAL_KEYS = NAMES.list.goal.keys;
const TOP_LEVEL_KEYS = keysOf('list');

/** Reads a document `{ goal, steps }`. `external` has the context keys with their references, if known. */
export function readSteps(
  source: NodeSource,
  entries: readonly WrittenNode[] | undefined,
  {
    external = new Map(),
    isStep = false,
  }: { readonly external?: ReadonlyMap<string, string | undefined>; readonly isStep?: boolean | undefined },
  reading: Reading,
): ReadSteps {
  reportTopLevelKeys(source, reading);
  const steps: StepDraft[] = [];
  const before = reading.issues.errors;
  const goal = readText(source, GOAL_KEYS, reading);
  const goalRead = reading.issues.errors === before;
  const complexity = readComplexity(source, reading);
  const estimatedMinutes = readEstimate(source, reading);
  const list = listOf(source, entries, isStep, reading);
  nameSteps(list ?? [], isStep, reading);
  // After the budget of characters is spent, every further text would give the same issue.
  for (let index = 0; index < (list?.length ?? 0) && reading.budget.left >= 0; index++) {
    const { value, place } = list![index]!;
    const step = readStep(value, place, index + 1, reading, steps.at(-1));
    if (step !== undefined) steps.push(step);
  }
  const written = steps.length;
  if (list !== undefined && !isStep) endWithAnswer(source, steps, list.length, reading);
  const last = steps.at(-1);
  if (last !== undefined && !isStep) last.takesAll = true;
  // Positions are reliable only if all steps were read, so otherwise no references are resolved.
  const isWhole = list !== undefined && written === list.length;
  const inputs = !isWhole ? [] : resolveReferences(steps, external, reading);
  const goalText = goal ?? (goalRead ? goalOf(source, steps.slice(0, written), reading) : '');
  return { goal: goalText, steps, inputs, complexity, estimatedMinutes };
}

/** Collects the names of steps: keys, then other names, then positions. In a loop, positions have no meaning. */
function nameSteps(list: readonly WrittenNode[], isStep: boolean, { names }: Reading): void {
  const steps = list.map(({ value }, at) => {
    const step = isPlainObject(value) ? value : {};
    const own = KEYS.find((each) => step[each] != null && step[each] !== '');
    const key = own === undefined ? at + 1 : step[own];
    return { step, key: typeof key === 'string' || typeof key === 'number' ? String(key).trim() : '' };
  });
  for (const { key } of steps) names.set(key, key);
  for (const { step, key } of steps) {
    addName(key.toLowerCase(), key);
    for (const other of OTHER_NAMES) {
      const name = step[other];
      if (typeof name === 'string') addName(name.trim().replace(/^\$/, ''), key);
    }
  }
  for (const [at, { key }] of isStep ? [] : steps.entries()) if (!names.has(`${at + 1}`)) names.set(`${at + 1}`, key);
  names.delete('');

  function addName(name: string, key: string): void {
    const known = names.get(name) ?? key;
    if (known !== name) names.set(name, known === key ? key : '');
  }
}

const KEYS = [...NAMES.step.contextKey.keys, ...NAMES.step.contextKey.foreign];

function listOf(
  { node, place: at }: NodeSource,
  entries: readonly WrittenNode[] | undefined,
  isStep: boolean,
  { issues, limits }: Reading,
): readonly WrittenNode[] | undefined {
  const list = entries ?? node['steps'];
  const place = entries?.[0]?.place.parent ?? below(at, 'steps');
  // In a loop, an empty list is rejected, since each decision must contain a step.
  if (!Array.isArray(list) || (isStep && list.length === 0)) {
    issues.add('error', 'missing-steps', place, () => ({
      message: `${list == null ? 'The document has no steps' : `"steps" is ${describeValue(list)}`}. Write the steps as a list, in their order.`,
      expected: 'a list',
      got: describeValue(list),
    }));
    return undefined;
  }
  if (list.length <= limits.nodes)
    return entries ?? list.map((value, index) => ({ value, place: below(place, index) }));
  issues.add('error', 'too-many-nodes', place, () => ({
    message: `The plan has ${list.length} steps, and ${limits.nodes} are allowed. Divide it, or raise the limit.`,
    expected: `at most ${limits.nodes} steps`,
    got: describeValue(list),
  }));
  return undefined;
}

/** Ends a list with respond or clarify, as in Osprey: if it has neither, adds a respond. */
function endWithAnswer({ place: at }: NodeSource, steps: StepDraft[], written: number, { issues }: Reading): void {
  if (isAnswer(steps.at(-1)?.capability)) return;
  if (steps.length < written) return;
  const keys = new Set(steps.map(({ contextKey }) => contextKey));
  let contextKey = 'user_response';
  for (let number = 2; keys.has(contextKey); number++) contextKey = `user_response_${number}`;
  const place = below(below(at, 'steps'), written);
  steps.push({
    kind: 'task',
    place,
    contextKey,
    task: 'Respond to the user',
    capability: 'respond',
    argumentsKey: 'parameters',
    argumentsRead: true,
    references: [],
    takesAll: true,
  });
  issues.add('warning', 'added-respond', place, () => ({
    message: `${written === 0 ? 'The list of steps is empty' : 'The last step is neither a respond nor a clarify'}; a step ${quote(contextKey)} was added that responds with all results. Write it to have it say more.`,
  }));
}

/** The goal of a document without one: the text of its last step. Osprey has the goal outside its plans. */
function goalOf(source: NodeSource, steps: readonly StepDraft[], { issues }: Reading): string {
  const key = GOAL_KEYS.find((each) => source.node[each] != null);
  const last = steps.at(-1)?.task ?? '';
  const isAbsent = key === undefined && last !== '';
  issues.add(isAbsent ? 'warning' : 'error', 'missing-goal', below(source.place, key ?? 'goal'), () => ({
    message: isAbsent
      ? `The document has no goal; the text of its last step is taken: ${quote(last)}. Say in "goal" what the plan is for.`
      : `The document has ${key === undefined ? 'no' : 'a blank'} goal. Say in "goal" what the plan is for.`,
    expected: 'a text',
    got: describeValue(key === undefined ? undefined : source.node[key]),
  }));
  return last;
}

function reportTopLevelKeys({ node, place }: NodeSource, { issues }: Reading): void {
  for (const key of Object.keys(node)) {
    if (key === 'plan_id' && node[key] != null) {
      issues.add('warning', 'ignored-key', below(place, key), () => ({
        message: '"plan_id" is not kept: a plan is known by its digest. Take it out.',
      }));
    }
    if (TOP_LEVEL_KEYS.includes(key) || (key === 'plan' && node[key] == null)) continue;
    issues.add('error', 'unknown-top-level-key', below(place, key), () => ({
      message:
        governs(key, node[key], 'step') ||
        `A list of steps has the keys "goal", "steps", "complexity" and "estimated_time" only, and this one has ${quote(key)}.${didYouMean(key, TOP_LEVEL_KEYS)} Options of a run are not part of a plan.`,
      expected: TOP_LEVEL_KEYS,
      got: key,
    }));
  }
}
