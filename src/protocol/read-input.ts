/** Parses the input of planWorkflow by hand, since a schema library would be in the memory of every cached run. */

import { describe, isDeeperThan, isMalformed, isRecord, isSigned, unknownKeys } from './payload.ts';
import { tokenProblem } from './refusal.ts';
import { isRef } from './ids.ts';
import { DEFAULT_OPTIONS, type RunOptions, type RunSource } from './options.ts';
import { messageClaimedBy } from './identity/token/index.ts';
import { wholeDocument } from '../plan/whole-document.ts';
import { visible } from '../plan/text/index.ts';
import { MAX_LEVELS, parseOptions } from './read-options.ts';
import type { MessageName } from './messages.ts';

export type ParsedInput =
  | {
      readonly ok: true;
      readonly source: RunSource;
      readonly options: RunOptions;
      /** The settings that the project chooses for a goal, such as its mode; absent if none are open. */
      readonly unsaid?: OpenChoices;
      /** The signed input. Its signature has not been verified yet. */
      readonly token?: string;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The settings that the starter of a goal left to the project: the mode, and possibly the approval policy. */
export interface OpenChoices {
  readonly mode: true;
  readonly approval?: true;
}

/**
 * Every prompt contains the goal, so it is limited.
 * @bound [models] the goal of a planner, in characters @beyond the run fails with `InvalidInput`
 */
const MAX_GOAL = 20_000;

/** Maximum number of problems in the error message, which counts the others. */
const MAX_PROBLEMS = 100;

const INPUT_KEYS = ['goal', 'plan', 'ref', 'options'];

/**
 * Parses `{ goal?, plan?, ref?, options? }`, or a text with a whole plan document. Both may be signed as `{ token }`.
 * Never throws. Reports all problems at once, each as a sentence that starts with the path.
 */
export function parsePlanInput(input: unknown): ParsedInput {
  if (!isSigned(input)) return parseUnsigned(input);
  const problem = tokenProblem(input);
  const said = signedInput(input);
  if (problem !== undefined) return { ok: false, problems: [`$: ${problem.reason}`] };
  if (!isRecord(said)) return { ok: false, problems: [NO_START] };
  const parsed = parseUnsigned(said);
  return parsed.ok ? { ...parsed, token: String(input['token']) } : parsed;
}

/** The input in a token, unverified; undefined if the token is no start. Returns unsigned input unchanged. */
export function signedInput(input: unknown): unknown {
  if (!isSigned(input)) return input;
  const { kind, ...said } = messageClaimedBy(input['token']) ?? {};
  return kind === 'start' ? said : undefined;
}

const NO_START =
  '$.token: a start is signed as { "kind": "start", "goal"?, "plan"?, "ref"?, "options"? }, and this token signs something else';

function parseUnsigned(input: unknown): ParsedInput {
  if (isMalformed(input))
    return { ok: false, problems: [visible(`$: the input could not be decoded: ${input.reason}`)] };
  if (typeof input === 'string') return { ok: true, source: { document: input }, options: DEFAULT_OPTIONS };
  if (!isRecord(input)) {
    return { ok: false, problems: [`$: expected an object { goal, plan, options? }, got ${describe(input)}`] };
  }
  if (isDeeperThan(MAX_LEVELS, input)) {
    const problem = `$: the input is nested more than ${MAX_LEVELS} levels deep; send the plan as text, or as "ref" into the result store`;
    return { ok: false, problems: [problem] };
  }
  const problems = unknownKeys(input, INPUT_KEYS, '$', 'A steps document goes whole under "plan".');
  const source = parseSource(input, problems);
  const options = parseOptions(input['options'], problems);
  for (const problem of modeProblems(options, source)) problems.push(problem);
  if (problems.length === 0 && source !== undefined)
    return { ok: true, source, options, ...('goal' in source && openChoicesIn(input['options'])) };
  const more = problems.length - MAX_PROBLEMS;
  return {
    ok: false,
    problems: more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${more} more problems`] : problems,
  };
}

function parseSource(input: Record<string, unknown>, problems: string[]): RunSource | undefined {
  const { goal, plan, ref } = input;
  if (ref !== undefined) {
    if (plan !== undefined) problems.push('$.ref: give either "plan" or "ref", not both');
    if (goal !== undefined)
      problems.push('$.goal: the document behind "ref" has a goal of its own; leave this one out');
    if (isRef(ref)) return { ref };
    problems.push(`$.ref: expected a reference into the result store, got ${describe(ref)}`);
    return undefined;
  }
  if (plan === undefined || plan === null) {
    if (typeof goal === 'string' && goal.trim() !== '' && goal.length <= MAX_GOAL) return { goal: goal.trim() };
    problems.push(
      goal === undefined
        ? '$.plan: expected a plan or a goal; send { "goal": "...", "plan": { ... } }, or { "goal": "..." } for the planner'
        : `$.goal: for the planner a goal is a text of 1 to ${MAX_GOAL} characters, got ${describe(goal)}`,
    );
    return undefined;
  }
  const document = wholeDocument(plan, goal);
  if (document === plan) {
    const inner = isRecord(plan) ? (plan['goal'] ?? plan['objective']) : undefined;
    if (goal !== undefined && goal !== inner) {
      problems.push('$.goal: "plan" is a whole document with a goal of its own; leave the outer goal out');
    }
  }
  return { document };
}

function openChoicesIn(options: unknown): { readonly unsaid?: OpenChoices } {
  const { mode, approval: policy } = isRecord(options) ? options : {};
  if (mode !== undefined) return {};
  return { unsaid: { mode: true, ...(policy === undefined && { approval: true }) } };
}

/** A plan leaves no mode to choose. Otherwise a model must not be able to weaken the approval policy. */
function modeProblems(
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

/** A JSON value for the next history: the value itself, or references of the stored pages with its text. */
export type Carried = { readonly value: unknown } | { readonly pages: readonly string[] };

/** Something that arrived from outside and waits in a queue until a turn processes it. */
export type Arrival =
  | MessageArrival
  | { readonly is: 'cancelled'; readonly at: string }
  /** A signal of the parent run or an agent, whose key proves the sender. */
  | { readonly is: 'agent'; readonly message: unknown; readonly at: string }
  /** A signal of one of the run's parts, whose key proves the sender. */
  | { readonly is: 'part'; readonly message: unknown; readonly at: string }
  | { readonly is: 'unknown'; readonly name: string; readonly at: string };

export interface MessageArrival {
  readonly is?: never;
  readonly name: MessageName;
  readonly payload: unknown;
  readonly at: string;
  /** The id of the update. For a signal: the id of the update that the signal repeats. */
  readonly update?: string;
}

export interface Resume {
  /** The version of the state's format. Workers read their own version and earlier ones. */
  readonly version: number;
  /** The run id of the first execution (for an agent: of the topmost run), which identifies the run in the store. */
  readonly firstRunId: string;
  readonly state: Carried;
  readonly planShape?: Carried;
  /** Pages of the trace that were stored with the state. */
  readonly trace?: readonly { readonly ref: string; readonly last: number }[];
  /** Arrivals while the state was stored. The next history processes them in its first turn. */
  readonly late?: readonly Arrival[];
}
