/** The input of planWorkflow: what to run, and how. Checked by hand, since a schema library would live in every cached run. */

import {
  budgetProblems,
  DEFAULT_OPTIONS,
  describe,
  durationMs,
  isDeeperThan,
  isMalformed,
  isRecord,
  isRef,
  LANES,
  ON_FAILURE,
  OPTION_KEYS,
  RUN_MODES,
  type ApprovalPolicy,
  type Budget,
  type RunOptions,
  type RunSource,
  isSigned,
  tokenProblem,
  parsePolicy,
} from './index.ts';
import { messageClaimedBy } from './identity/token/index.ts';
import { wholeDocument } from '../plan/document/index.ts';
import { quote, visible } from '../plan/text/index.ts';

export type ParsedInput =
  | {
      readonly ok: true;
      readonly source: RunSource;
      readonly options: RunOptions;
      /** A goal whose mode the project sets. */
      readonly unsaid?: Unsaid;
      /** The input came signed; nobody has verified it yet. */
      readonly token?: string;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What whoever started a run of a goal has left to the project, and whether the approval that goes with it. */
export interface Unsaid {
  readonly mode: true;
  readonly approval?: true;
}

/** Above it a workflow task could carry more commands than the server takes in one call. */
const MAX_CONCURRENCY = 1000;
/** Each is compiled, kept and carried over. */
const MAX_REVISIONS = 100;
/** The most characters in a goal for a planner; the goal is in every one of its prompts. */
const MAX_GOAL = 20_000;
/** Each is decided by a model and kept. */
const MAX_ROUNDS = 10_000;
const MAX_NAME = 200;
/** The server takes ids of up to 1000 bytes. */
const MAX_WORKFLOW_ID = 1000;
/** Problems that are told; then how many more there are. */
const MAX_PROBLEMS = 100;
/** The most levels of nesting. Deeper values cannot be handed on: JSON is written by recursion. */
const MAX_LEVELS = 2000;
/** Names of external context, and the most UTF-16 code units of its JSON: it goes whole to each activity that compiles. */
const MAX_CONTEXT_NAMES = 1000;
const MAX_CONTEXT = 1_500_000;
const INPUT_KEYS = ['goal', 'plan', 'ref', 'options'];

/**
 * Reads `{ goal?, plan?, ref?, options? }`, a bare string that is the text of a plan document, or either signed as `{ token }`.
 * Never throws.
 * All problems are reported at once, as sentences with the path in front.
 */
export function parsePlanInput(input: unknown): ParsedInput {
  if (!isSigned(input)) return parseUnsigned(input);
  const problem = tokenProblem(input);
  const said = saidIn(input);
  if (problem !== undefined) return { ok: false, problems: [`$: ${problem.reason}`] };
  if (!isRecord(said)) return { ok: false, problems: [NO_START] };
  const parsed = parseUnsigned(said);
  return parsed.ok ? { ...parsed, token: String(input['token']) } : parsed;
}

/** The input that a signed one has in it, as it claims to be; another as it is. Undefined where something else is signed. */
export function saidIn(input: unknown): unknown {
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
    return { ok: true, source, options, ...('goal' in source && unsaidIn(input['options'])) };
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

function parseOptions(value: unknown, problems: string[]): RunOptions {
  if (value === undefined || value === null) return DEFAULT_OPTIONS;
  if (!isRecord(value)) {
    problems.push(`$.options: expected an object, got ${describe(value)}`);
    return DEFAULT_OPTIONS;
  }
  pushAll(problems, unknownKeys(value, OPTION_KEYS, '$.options', `Known are ${OPTION_KEYS.join(', ')}.`));
  const mode = choice(value, 'mode', RUN_MODES, problems) ?? DEFAULT_OPTIONS.mode;
  return {
    mode,
    maxRounds: count(value, 'maxRounds', '$.options', problems, MAX_ROUNDS) ?? DEFAULT_OPTIONS.maxRounds,
    // A person who starts a loop asks for steps, not for a plan: reads need no approval.
    approval: approval(value['approval'], problems) ?? (mode === 'reactive' ? 'effects' : DEFAULT_OPTIONS.approval),
    approvalDeadlineMs: duration(value, 'approvalDeadline', problems) ?? DEFAULT_OPTIONS.approvalDeadlineMs,
    answerDeadlineMs: duration(value, 'answerDeadline', problems) ?? DEFAULT_OPTIONS.answerDeadlineMs,
    maxRejections: count(value, 'maxRejections', '$.options', problems, MAX_REVISIONS) ?? DEFAULT_OPTIONS.maxRejections,
    maxRevisions: count(value, 'maxRevisions', '$.options', problems, MAX_REVISIONS) ?? DEFAULT_OPTIONS.maxRevisions,
    onFailure: choice(value, 'onFailure', ON_FAILURE, problems) ?? DEFAULT_OPTIONS.onFailure,
    concurrency: count(value, 'concurrency', '$.options', problems, MAX_CONCURRENCY) ?? DEFAULT_OPTIONS.concurrency,
    ...lane(value, problems),
    ...budget(value['budget'], problems),
    ...limits(value['limits'], problems),
    ...context(value['context'], problems),
    ...conversation(value['conversation'], problems),
    ...reuse(value, problems),
  };
}

function unsaidIn(given: unknown): { readonly unsaid?: Unsaid } {
  const { mode, approval: policy } = isRecord(given) ? given : {};
  if (mode !== undefined) return {};
  return { unsaid: { mode: true, ...(policy === undefined && { approval: true }) } };
}

function approval(value: unknown, problems: string[]): ApprovalPolicy | undefined {
  return value === undefined ? undefined : parsePolicy(value, '$.options.approval', problems);
}

function budget(value: unknown, problems: string[]): Pick<RunOptions, 'budget'> {
  if (value === undefined) return {};
  const wrong = budgetProblems(value, '$.options.budget');
  pushAll(problems, wrong);
  return wrong.length > 0 ? {} : { budget: value as Budget };
}

function lane(value: Record<string, unknown>, problems: string[]): Pick<RunOptions, 'lane'> {
  const chosen = choice(value, 'lane', LANES, problems);
  return chosen === undefined ? {} : { lane: chosen };
}

function limits(value: unknown, problems: string[]): Pick<RunOptions, 'limits'> {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    problems.push(`$.options.limits: expected { depth?, nodes? }, got ${describe(value)}`);
    return {};
  }
  pushAll(problems, unknownKeys(value, ['depth', 'nodes'], '$.options.limits', 'Known are depth and nodes.'));
  const depth = count(value, 'depth', '$.options.limits', problems);
  const nodes = count(value, 'nodes', '$.options.limits', problems);
  return { limits: { ...(depth !== undefined && { depth }), ...(nodes !== undefined && { nodes }) } };
}

function context(value: unknown, problems: string[]): Pick<RunOptions, 'context'> {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    problems.push(`$.options.context: expected an object of context by key, got ${describe(value)}`);
    return {};
  }
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
  return { context: value };
}

function conversation(value: unknown, problems: string[]): Pick<RunOptions, 'conversation'> {
  if (value === undefined) return {};
  if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_NAME) return { conversation: value };
  problems.push(`$.options.conversation: expected the id of a conversation, got ${describe(value)}`);
  return {};
}

function reuse({ reuse: of, fresh }: Record<string, unknown>, problems: string[]): Pick<RunOptions, 'reuse' | 'fresh'> {
  if (fresh !== undefined && fresh !== true) problems.push(`$.options.fresh: expected true, got ${describe(fresh)}`);
  if (fresh === true && of === undefined)
    problems.push('$.options.fresh: it says what is not reused of the run that "reuse" names; name one');
  if (of === undefined) return {};
  if (typeof of === 'string' && of !== '' && of.length <= MAX_WORKFLOW_ID)
    return { reuse: of, ...(fresh === true && { fresh }) };
  problems.push(
    `$.options.reuse: expected the id of a closed run, of at most ${MAX_WORKFLOW_ID} characters, got ${describe(of)}`,
  );
  return {};
}

/** A plan is there already: nobody decides any more how to come to one. And a model never lowers the gate. */
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

function choice<const T extends string>(
  from: Record<string, unknown>,
  key: string,
  allowed: readonly T[],
  problems: string[],
): T | undefined {
  const value = from[key];
  if (value === undefined) return undefined;
  if (allowed.includes(value as T)) return value as T;
  problems.push(`$.options.${key}: expected ${allowed.map((one) => `"${one}"`).join(' or ')}, got ${describe(value)}`);
  return undefined;
}

function duration(from: Record<string, unknown>, key: string, problems: string[]): number | undefined {
  if (from[key] === undefined) return undefined;
  const ms = durationMs(from[key]);
  if (ms === undefined) {
    problems.push(`$.options.${key}: expected a duration such as "24h" or milliseconds, got ${describe(from[key])}`);
  }
  return ms;
}

function count(
  from: Record<string, unknown>,
  key: string,
  path: string,
  problems: string[],
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = from[key];
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) return value as number;
  problems.push(`${path}.${key}: expected a whole number from 1 to ${max}, got ${describe(value)}`);
  return undefined;
}

/** A call with a hundred thousand arguments runs out of stack. */
function pushAll(problems: string[], more: readonly string[]): void {
  for (const problem of more) problems.push(problem);
}

function unknownKeys(value: Record<string, unknown>, known: readonly string[], path: string, advice: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${path}: unknown key ${quote(key)}. ${advice}`);
}
