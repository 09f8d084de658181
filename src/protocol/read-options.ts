import type { Effect } from '../plan/index.ts';
import { quote } from '../plan/text/index.ts';
import { DEFAULT_OPTIONS, durationMs, LANES, ON_FAILURE, type RunOptions, type RunSettings } from './options.ts';
import {
  choiceOf,
  countUpTo,
  describe,
  fieldReader,
  given,
  isRecord,
  pushAll,
  readRows,
  type FieldReader,
} from './payload.ts';
import { type ApprovalPolicy, type ApprovalRule, EFFECTS, RUN_MODES } from './project.ts';
import { type Budget, budgetProblems } from './spending.ts';

/**
 * With more, a workflow task could have more commands than the server accepts in one call.
 * @bound the option `concurrency`, at most @beyond the run fails with `InvalidInput`
 */
const MAX_CONCURRENCY = 1000;

/**
 * The run compiles and stores every revision, so their number is limited.
 * @bound [approving] `maxRevisions` and `maxRejections`, at most @beyond the run fails with `InvalidInput`
 */
const MAX_REVISIONS = 100;

/**
 * A model decides every round and the run stores it, so their number is limited.
 * @bound the option `maxRounds`, at most @beyond the run fails with `InvalidInput`
 */
export const MAX_ROUNDS = 10_000;

const MAX_NAME = 200;

/** Maximum length of a workflow id. The server accepts up to 1000 bytes. */
const MAX_WORKFLOW_ID = 1000;

/**
 * Maximum levels of an input. Writing JSON is recursive, so deeper values could not be sent.
 * @bound [plans] levels of the input @beyond the run fails with `InvalidInput`: send the plan as text or by `ref`
 */
export const MAX_LEVELS = 2000;

const MAX_CONTEXT_NAMES = 1000;

/**
 * Every activity that compiles receives the whole context, so its size is limited.
 * @bound {characters} [plans] the JSON of `context` @beyond the run fails with `InvalidInput`, which names the largest
 * value
 */
const MAX_CONTEXT = 1_500_000;

/** Maximum number of approval rules. Each decision compares each rule with every node. */
export const MAX_RULES = 100;
const MAX_COUNT = 100;

const COUNT = countUpTo();
const TRUE_OR_NOTHING = fieldReader(asTrue, 'true, or nothing');
const RECORD_OF_CONTEXT = fieldReader(asRecord, 'an object of context by key');
const RECORD_OF_LIMITS = fieldReader(asRecord, '{ depth?, nodes? }');
const LIMITS = { depth: COUNT, nodes: COUNT };

const OPTIONS = {
  mode: choiceOf(RUN_MODES),
  approval: policyOf(MAX_RULES),
  approvalDeadline: fieldReader(durationMs, 'a duration such as "24h" or milliseconds'),
  answerDeadline: fieldReader(durationMs, 'a duration such as "24h" or milliseconds'),
  maxRejections: countUpTo(MAX_REVISIONS),
  maxRevisions: countUpTo(MAX_REVISIONS),
  onFailure: choiceOf(ON_FAILURE),
  maxRounds: countUpTo(MAX_ROUNDS),
  concurrency: countUpTo(MAX_CONCURRENCY),
  lane: choiceOf(LANES),
  budget(value: unknown, path: string, problems: string[]): Budget {
    pushAll(problems, budgetProblems(value, path));
    return value as Budget;
  },
  limits(value: unknown, path: string, problems: string[]): RunOptions['limits'] {
    const record = RECORD_OF_LIMITS(value, path, problems);
    return record && readRows(record, LIMITS, path, problems, 'Known are depth and nodes.');
  },
  context: readContext,
  conversation: fieldReader((value) => asId(value, MAX_NAME), 'the id of a conversation'),
  reuse: fieldReader(
    (value) => asId(value, MAX_WORKFLOW_ID),
    `the id of a closed run, of at most ${MAX_WORKFLOW_ID} characters`,
  ),
  fresh: fieldReader(asTrue, 'true'),
} satisfies Record<keyof RunSettings, FieldReader<unknown>>;

export const OPTION_KEYS = Object.keys(OPTIONS) as readonly (keyof RunSettings)[];

/** Reads the options of a run. @param maxRules maximum number of approval rules */
export function parseOptions(value: unknown, problems: string[], maxRules = MAX_RULES): RunOptions {
  if (value === undefined || value === null) return DEFAULT_OPTIONS;
  if (!isRecord(value)) {
    problems.push(`$.options: expected an object, got ${describe(value)}`);
    return DEFAULT_OPTIONS;
  }
  const rows = { ...OPTIONS, approval: policyOf(maxRules) };
  const read = readRows(value, rows, '$.options', problems, `Known are ${OPTION_KEYS.join(', ')}.`);
  const { approvalDeadline: approvalDeadlineMs, answerDeadline: answerDeadlineMs, ...options } = read;
  if (options.fresh === true && value['reuse'] === undefined)
    problems.push('$.options.fresh: it says what is not reused of the run that "reuse" names; name one');
  return {
    ...DEFAULT_OPTIONS,
    // The starter of a loop asks for steps, not for a plan, so reads need no approval by default.
    ...(options.mode === 'reactive' && { approval: 'effects' as const }),
    ...options,
    ...given({ approvalDeadlineMs, answerDeadlineMs }),
  };
}

/** Parses an approval policy. @param path the path that each problem starts with */
export function parsePolicy(
  value: unknown,
  path: string,
  problems: string[],
  maxRules = MAX_RULES,
): ApprovalPolicy | undefined {
  if (value === 'required' || value === 'effects') return value;
  if (isRecord(value) && Object.keys(value).length === 1 && Array.isArray(value['rules'])) {
    const rules = parseRules(value['rules'], `${path}.rules`, problems, maxRules);
    return rules === undefined ? undefined : { rules };
  }
  problems.push(`${path}: expected "required", "effects" or { "rules": [...] }, got ${describe(value)}`);
  return undefined;
}

function policyOf(maxRules: number): FieldReader<ApprovalPolicy> {
  return (value, path, problems) => parsePolicy(value, path, problems, maxRules);
}

const COST = fieldReader((value) => (typeof value === 'number' && value >= 0 ? value : undefined), 'a number from 0');
const RULE = {
  effect: choiceOf<Effect>(EFFECTS),
  capability: fieldReader((value) => (isName(value) ? value : undefined), 'the name of a capability'),
  untrusted: TRUE_OR_NOTHING,
  minCost: COST,
  minTotalCost: COST,
  roles: fieldReader(
    (value) => (Array.isArray(value) && value.length > 0 && value.every(isName) ? value : undefined),
    'a list of roles, at least one',
  ),
  count: countUpTo(MAX_COUNT),
  person: TRUE_OR_NOTHING,
  notStarter: TRUE_OR_NOTHING,
} satisfies Record<keyof ApprovalRule, FieldReader<unknown>>;
const RULE_KEYS = Object.keys(RULE);

/** Parses approval rules. Rejects an empty list, since it would approve everything; write `"effects"` instead. */
export function parseRules(
  values: readonly unknown[],
  path: string,
  problems: string[],
  max = MAX_RULES,
): readonly ApprovalRule[] | undefined {
  const before = problems.length;
  if (values.length === 0 || values.length > max) {
    problems.push(`${path}: expected 1 to ${max} rules, got ${values.length}; "effects" lets reads run unasked`);
  }
  values.slice(0, max).forEach((value, index) => {
    const at = `${path}[${index}]`;
    if (isRecord(value)) readRows(value, RULE, at, problems, `Known are ${RULE_KEYS.join(', ')}.`);
    else problems.push(`${at}: expected { ${RULE_KEYS.join('?, ')}? }, got ${describe(value)}`);
  });
  return problems.length === before ? (values as readonly ApprovalRule[]) : undefined;
}

function asTrue(value: unknown): true | undefined {
  return value === true ? value : undefined;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

function asId(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= max ? value : undefined;
}

function isName(value: unknown): value is string {
  return asId(value, MAX_NAME)?.isWellFormed() === true;
}

function readContext(value: unknown, path: string, problems: string[]): RunOptions['context'] {
  const record = RECORD_OF_CONTEXT(value, path, problems);
  if (record === undefined) return undefined;
  const names = Object.keys(record).length;
  if (names > MAX_CONTEXT_NAMES)
    problems.push(`${path}: expected at most ${MAX_CONTEXT_NAMES} names, got ${names}; put some into one value`);
  const sizes = Object.entries(record).map(([name, each]) => [JSON.stringify(each)?.length ?? 0, name] as const);
  const size = sizes.reduce((sum, [length]) => sum + length, 0);
  const [largest, name] = sizes.reduce((a, b) => (b[0] > a[0] ? b : a), [0, '']);
  if (size > MAX_CONTEXT)
    problems.push(
      `${path}: expected at most ${MAX_CONTEXT} characters of JSON, got ${size}, of which ${quote(name)} has ${largest}; ` +
        'let a step read what is large, or name a result of an earlier run',
    );
  return record;
}
