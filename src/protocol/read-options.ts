/** Reads the options of a run. */

import { parsePolicy } from './approval-policy.ts';
import { given, describe, isRecord } from './payload.ts';
import {
  DEFAULT_OPTIONS,
  durationMs,
  LANES,
  ON_FAILURE,
  OPTION_KEYS,
  type RunOptions,
  type RunSource,
} from './options.ts';
import { type ApprovalPolicy, RUN_MODES } from './project.ts';
import { type Budget, budgetProblems } from './spending.ts';
import { quote } from '../plan/text/index.ts';

/**
 * Above it a workflow task could carry more commands than the server takes in one call.
 * @bound `concurrency`, at most
 * @beyond `InvalidInput`
 */
const MAX_CONCURRENCY = 1000;

/**
 * The run compiles and stores each.
 * @bound [approving] `maxRevisions` and `maxRejections`, at most
 * @beyond `InvalidInput`
 */
const MAX_REVISIONS = 100;

/**
 * A model decides each, and the run stores it.
 * @bound `maxRounds`, at most
 * @beyond `InvalidInput`
 */
export const MAX_ROUNDS = 10_000;

/** `conversation`. */
const MAX_NAME = 200;

/** The server takes ids of up to 1000 bytes. */
const MAX_WORKFLOW_ID = 1000;

/**
 * The most levels of nesting. Deeper values cannot be handed on: JSON is written by recursion.
 * @bound [plans] levels of the input
 * @beyond `InvalidInput`: send the plan as text or by `ref`
 */
export const MAX_LEVELS = 2000;

/** Names of external context, and UTF-16 code units of its JSON: each activity that compiles gets all of it. */
const MAX_CONTEXT_NAMES = 1000;

/**
 * @bound {characters} [plans] the JSON of `context`
 * @beyond `InvalidInput` that names the largest
 */
const MAX_CONTEXT = 1_500_000;

/** @param mostRules of approval */
export function parseOptions(value: unknown, problems: string[], mostRules?: number): RunOptions {
  if (value === undefined || value === null) return DEFAULT_OPTIONS;
  if (!isRecord(value)) {
    problems.push(`$.options: expected an object, got ${describe(value)}`);
    return DEFAULT_OPTIONS;
  }
  pushAll(problems, unknownKeys(value, OPTION_KEYS, '$.options', `Known are ${OPTION_KEYS.join(', ')}.`));
  const option = readerOf(value, '$.options', problems);
  const mode = option('mode', choice(RUN_MODES)) ?? DEFAULT_OPTIONS.mode;
  const read = given({
    mode,
    maxRounds: option('maxRounds', count(MAX_ROUNDS)),
    // A person who starts a loop asks for steps, not for a plan: reads need no approval.
    approval:
      approval(value['approval'], problems, mostRules) ?? (mode === 'reactive' ? ('effects' as const) : undefined),
    approvalDeadlineMs: option('approvalDeadline', DURATION),
    answerDeadlineMs: option('answerDeadline', DURATION),
    maxRejections: option('maxRejections', count(MAX_REVISIONS)),
    maxRevisions: option('maxRevisions', count(MAX_REVISIONS)),
    onFailure: option('onFailure', choice(ON_FAILURE)),
    concurrency: option('concurrency', count(MAX_CONCURRENCY)),
    lane: option('lane', choice(LANES)),
    budget: budget(value['budget'], problems),
    limits: limits(option('limits', LIMITS), problems),
    context: context(option('context', CONTEXT), problems),
    conversation: option('conversation', CONVERSATION),
    reuse: option('reuse', REUSE),
    fresh: option('fresh', TRUE),
  });
  if (read.fresh === true && value['reuse'] === undefined)
    problems.push('$.options.fresh: it says what is not reused of the run that "reuse" names; name one');
  return { ...DEFAULT_OPTIONS, ...read };
}

/** How to parse an option (undefined if invalid), and the expected form as text. */
type Form<T> = readonly [read: (value: unknown) => T | undefined, expected: string];

const DURATION: Form<number> = [durationMs, 'a duration such as "24h" or milliseconds'];

const LIMITS: Form<Record<string, unknown>> = [asRecord, '{ depth?, nodes? }'];

const CONTEXT: Form<Record<string, unknown>> = [asRecord, 'an object of context by key'];

const CONVERSATION: Form<string> = [(value) => asId(value, MAX_NAME), 'the id of a conversation'];

const REUSE: Form<string> = [
  (value) => asId(value, MAX_WORKFLOW_ID),
  `the id of a closed run, of at most ${MAX_WORKFLOW_ID} characters`,
];

const TRUE: Form<true> = [(value) => (value === true ? true : undefined), 'true'];

function choice<const T extends string>(allowed: readonly T[]): Form<T> {
  return [(value) => allowed.find((one) => one === value), allowed.map((one) => `"${one}"`).join(' or ')];
}

function count(most = Number.MAX_SAFE_INTEGER): Form<number> {
  const isCount = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
  return [(value) => (isCount(value) ? value : undefined), `a whole number from 1 to ${most}`];
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

function asId(value: unknown, most: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= most ? value : undefined;
}

/**
 * Reads options of an object one by one; undefined for a missing one, and for an invalid one, which becomes a problem.
 */
function readerOf(from: Record<string, unknown>, path: string, problems: string[]) {
  return <T>(key: string, [read, expected]: Form<T>): T | undefined => {
    const value = from[key];
    const option = value === undefined ? undefined : read(value);
    if (value !== undefined && option === undefined)
      problems.push(`${path}.${key}: expected ${expected}, got ${describe(value)}`);
    return option;
  };
}

function approval(value: unknown, problems: string[], mostRules?: number): ApprovalPolicy | undefined {
  return value === undefined ? undefined : parsePolicy(value, '$.options.approval', problems, mostRules);
}

function budget(value: unknown, problems: string[]): Budget | undefined {
  if (value === undefined) return undefined;
  pushAll(problems, budgetProblems(value, '$.options.budget'));
  return value as Budget;
}

function limits(value: Record<string, unknown> | undefined, problems: string[]): RunOptions['limits'] {
  if (value === undefined) return undefined;
  pushAll(problems, unknownKeys(value, ['depth', 'nodes'], '$.options.limits', 'Known are depth and nodes.'));
  const limit = readerOf(value, '$.options.limits', problems);
  return given({ depth: limit('depth', count()), nodes: limit('nodes', count()) });
}

function context(value: Record<string, unknown> | undefined, problems: string[]): RunOptions['context'] {
  if (value === undefined) return undefined;
  const names = Object.keys(value).length;
  if (names > MAX_CONTEXT_NAMES)
    problems.push(
      `$.options.context: expected at most ${MAX_CONTEXT_NAMES} names, got ${names}; put some into one value`,
    );
  const sizes = Object.entries(value).map(([name, one]) => [JSON.stringify(one)?.length ?? 0, name] as const);
  const size = sizes.reduce((sum, [length]) => sum + length, 0);
  const [largest, name] = sizes.reduce((a, b) => (b[0] > a[0] ? b : a), [0, '']);
  if (size > MAX_CONTEXT)
    problems.push(
      `$.options.context: expected at most ${MAX_CONTEXT} characters of JSON, got ${size}, of which ${quote(name)} has ${largest}; ` +
        'let a step read what is large, or name a result of an earlier run',
    );
  return value;
}

/** With a plan there is no mode to choose. A model never lowers the approval policy. */
export function modeProblems(
  { mode, approval: policy, reuse: of }: RunOptions,
  source: RunSource | undefined,
): readonly string[] {
  if (of !== undefined && source !== undefined && 'goal' in source)
    return ['$.options.reuse: of a goal alone a new plan is made, and nothing of before fits it; give the plan'];
  if (mode === 'plan-first' || source === undefined) return [];
  if (!('goal' in source))
    return [`$.options.mode: "${mode}" starts from a goal alone; leave it out where there is a plan`];
  return mode === 'auto' && policy !== 'required'
    ? [
        '$.options.approval: in mode "auto" a model chooses how the goal is run, so approval is "required"; leave it out',
      ]
    : [];
}

/** A call with a hundred thousand arguments runs out of stack. */
function pushAll(problems: string[], more: readonly string[]): void {
  for (const problem of more) problems.push(problem);
}

export function unknownKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  path: string,
  advice: string,
): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${path}: unknown key ${quote(key)}. ${advice}`);
}
