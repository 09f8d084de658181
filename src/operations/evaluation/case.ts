/** Cases as they stand in files: read one by one, so that a wrong one takes no other with it. */

import { parse } from 'yaml';
import { z } from 'zod';
import { byteLength, quote } from '../../plan/text/index.ts';
import type { JsonValue } from '../../plan/index.ts';
import { GRADERS, OF_LOOPS, OF_PLANS, type Expectations } from './graders.ts';
import { LIMITS } from './limits.ts';

/** The cases that are right, and a sentence with its path for everything that is not. */
export interface ReadCases {
  readonly cases: readonly EvalCase[];
  readonly problems: readonly string[];
}

const NAME = new RegExp(`^[\\w.-]{1,${LIMITS.name}}$`);
const shapes = Object.entries(GRADERS).map(([name, { shape }]) => [name, (shape as z.ZodType).optional()]);
const Expected: z.ZodType<Expectations> = z.strictObject(Object.fromEntries(shapes));
const json = z.json() as z.ZodType<JsonValue>;
const Result = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ value: json }),
  z.strictObject({ ids: z.array(z.string()).readonly() }),
  /** It ends without a result, and with this reason. */
  z.strictObject({ fails: z.string() }),
]);
export type GivenResult = z.output<typeof Result>;
/** The world of a loop: nothing of it runs, so that a case says what comes of each step. */
const Loop = z.strictObject({
  /** By capability, agent or `submit_plan`: what its first step gives, its second one, and so on; the last one stays. */
  gives: z.record(z.string(), z.array(Result).min(1).readonly()),
  rounds: z.int().min(1).max(LIMITS.rounds).default(LIMITS.usualRounds),
});
export type EvalLoop = z.output<typeof Loop>;
const Fields = z.strictObject({
  name: z.string().regex(NAME, `expected 1 to ${LIMITS.name} letters, digits, ".", "_" or "-"`),
  goal: z.string().refine((goal) => goal.trim() !== '', 'expected a sentence that says what the plan is for'),
  /** Results from outside the plan, by their keys; only the keys are told. */
  context: z.record(z.string(), json).optional(),
  conversation: z.strictObject({ history: z.string().optional(), memory: z.string().optional() }).optional(),
  /** Answers to the questions that are asked, in their order. */
  answers: z.array(json).max(LIMITS.answers).readonly().optional(),
  loop: Loop.optional(),
  expect: Expected,
});
/** One goal, and what is expected of its plan. Known by its name in reports and in the journal. */
export type EvalCase = z.output<typeof Fields>;
const Case = Fields.superRefine(({ loop, expect }, context) => {
  const idle = Object.keys(expect).filter((name) => (loop === undefined ? OF_LOOPS : OF_PLANS).includes(name));
  const message = loop === undefined ? 'only a case with a "loop" has steps' : 'a case with a "loop" makes no plan';
  for (const name of idle) context.addIssue({ code: 'custom', path: ['expect', name], message });
});

/**
 * @param name the file, for messages
 * @example readCases('[{ "name": "genes", "goal": "Find genes", "expect": { "size": { "max": 3 } } }]', 'cases.json')
 */
export function readCases(content: string, name: string): ReadCases {
  const refused = (why: string): ReadCases => ({ cases: [], problems: [`${name}: ${why}`] });
  const bytes = byteLength(content);
  if (bytes > LIMITS.bytes) return refused(`${bytes} bytes, and at most ${LIMITS.bytes} are read; split the file`);
  let document: unknown;
  try {
    document = /\.json$/i.test(name) ? JSON.parse(content) : parse(content);
  } catch (error) {
    return refused(`neither JSON nor YAML: ${(error as Error).message}`);
  }
  if (!Array.isArray(document) || document.length === 0) return refused('$: expected a list of cases, at least one');
  if (document.length > LIMITS.cases) {
    return refused(`$: ${document.length} cases, and at most ${LIMITS.cases} are taken; split the file`);
  }
  const cases: EvalCase[] = [];
  const problems: string[] = [];
  for (const [at, item] of document.entries()) {
    const read = Case.safeParse(item);
    const twice = read.success && cases.some((one) => one.name === read.data.name);
    if (twice) problems.push(`${name}: $[${at}].name: ${quote(read.data.name)} is there twice; give each case its own`);
    else if (read.success) cases.push(read.data);
    else problems.push(...read.error.issues.map((issue) => `${name}: ${pathOf(at, issue.path)}: ${wordsOf(issue)}`));
  }
  return { cases, problems };
}

function pathOf(at: number, path: readonly PropertyKey[]): string {
  return `$[${at}]${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')}`;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const known = issue.path[0] === 'expect' && issue.path.length === 1 ? Object.keys(GRADERS) : undefined;
  const keys = issue.keys.map((key) => quote(key)).join(', ');
  return known === undefined ? `unknown key ${keys}` : `unknown grader ${keys}; there are ${known.join(', ')}`;
}
