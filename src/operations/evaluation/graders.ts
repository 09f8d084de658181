/** The graders: each a pure function of an attempt and of what a case expects. */

import { z } from 'zod';
import { canonicalJson, compilePlan, MODEL_LIMITS, type JsonValue } from '../../plan/index.ts';
import { sameMeaning } from './meaning.ts';
import { EFFECT_ORDER, executorOf, executorsOf, WAYS, type Seen, type SeenStep } from './seen.ts';

interface Grader<Expected> {
  readonly shape: z.ZodType<Expected>;
  /** Why the attempt does not pass, in a sentence; undefined where it does. */
  grade(seen: Seen, expected: Expected): string | undefined;
}

function grader<Expected>(
  shape: z.ZodType<Expected>,
  grade: (seen: Seen, expected: Expected) => string | undefined,
): Grader<Expected> {
  return { shape, grade };
}

const names = z.array(z.string().min(1)).min(1);
const count = z.int().min(0);
const Range = z.strictObject({ min: count.optional(), max: count.optional() });
type Between = z.output<typeof Range>;
const Step = z.union([
  z.string().min(1),
  z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()).optional() }),
]);
type WantedStep = z.output<typeof Step>;

export const GRADERS = {
  valid: grader(z.enum(WAYS), ({ way }, least) =>
    WAYS.indexOf(way) <= WAYS.indexOf(least) ? undefined : `the plan is ${way}, and ${least} is the least`,
  ),
  digest: grader(z.string().regex(/^[\da-f]{64}$/, 'expected 64 lower-case hex digits'), ({ plan }, digest) =>
    plan === undefined ? NO_PLAN : plan.digest === digest ? undefined : `the digest is ${plan.digest}`,
  ),
  covers: grader(names, ({ tasks }, words) => {
    const text = canonicalJson(tasks as unknown as JsonValue).toLowerCase();
    return told(
      'the plan does not name',
      words.filter((word) => !text.includes(word.toLowerCase())),
    );
  }),
  uses: grader(names, (seen, wanted) => {
    const used = executorsOf(seen);
    return told(
      'the plan does not use',
      wanted.filter((name) => !used.has(name)),
    );
  }),
  avoids: grader(names, (seen, unwanted) => {
    const used = executorsOf(seen);
    return told(
      'the plan uses',
      unwanted.filter((name) => used.has(name)),
    );
  }),
  effects: grader(z.enum(EFFECT_ORDER), ({ tasks, catalogue }, most) => {
    const above = tasks.flatMap((task) => {
      const executor = executorOf(task, catalogue);
      const isAbove = executor !== undefined && EFFECT_ORDER.indexOf(executor.effect) > EFFECT_ORDER.indexOf(most);
      return isAbove ? [`${task.id} (${executor.name}: ${executor.effect})`] : [];
    });
    return told(`${most} is the most, and above it is`, above);
  }),
  size: grader(Range, ({ plan, steps, tasks }, range) =>
    steps === undefined
      ? outside(tasks.length + (plan?.combines.length ?? 0), range, 'node')
      : outside(steps.length, range, 'step'),
  ),
  asks: grader(z.union([z.boolean(), count, Range]), ({ asked }, expected) => {
    const range = typeof expected === 'number' ? { min: expected, max: expected } : expected;
    if (typeof range === 'object') return outside(asked, range, 'question');
    return asked > 0 === range ? undefined : `${asked} questions were asked`;
  }),
  sameAs: grader(z.record(z.string(), z.json()), ({ plan, catalogue }, document) => {
    if (plan === undefined) return NO_PLAN;
    const contextKeys = plan.external ?? [];
    const wanted = compilePlan(document, { catalogue, contextKeys, limits: MODEL_LIMITS });
    if (wanted.ok) return sameMeaning(plan, wanted.plan);
    const [issue] = wanted.issues;
    return `the plan of the case does not compile: ${issue?.path} ${issue?.message}`;
  }),
  steps: grader(z.array(Step).min(1), ({ steps = [] }, wanted) => {
    let at = 0;
    for (const one of wanted) {
      const found = steps.findIndex((step, place) => place >= at && isStep(step, one));
      if (found < 0) return `no step ${wordsOf(one)} after ${at} of ${listOf(steps)}`;
      at = found + 1;
    }
    return undefined;
  }),
} as const;

const NO_PLAN = 'a loop makes no plan';
/** Graders that a loop has nothing for, and those that a plan has nothing for. */
export const OF_PLANS: readonly string[] = ['digest', 'sameAs'];
export const OF_LOOPS: readonly string[] = ['steps'];

export type GraderName = keyof typeof GRADERS;
type Table = typeof GRADERS;
export type Expectations = {
  readonly [Name in GraderName]?: Table[Name] extends Grader<infer Expected> ? Expected | undefined : never;
};

export interface Grade {
  readonly grader: GraderName;
  /** Absent where it passed. */
  readonly why?: string;
}

/** Judges an attempt by every grader that the case names, in the order of the table. Without `valid` a fallback does not pass. */
export function gradeAttempt(seen: Seen, expected: Expectations): readonly Grade[] {
  const all: Expectations = { valid: 'repaired', ...expected };
  return (Object.keys(GRADERS) as GraderName[]).flatMap((name) => {
    if (all[name] === undefined) return [];
    const why = (GRADERS[name] as Grader<unknown>).grade(seen, all[name]);
    return [{ grader: name, ...(why !== undefined && { why }) }];
  });
}

function isStep(step: SeenStep, wanted: WantedStep): boolean {
  const { name, arguments: some = {} } = typeof wanted === 'string' ? { name: wanted } : wanted;
  if (step.name !== name) return false;
  return Object.entries(some).every(([key, value]) => {
    const given = step.arguments[key];
    return given !== undefined && canonicalJson(given) === canonicalJson(value);
  });
}

function wordsOf(wanted: WantedStep): string {
  return typeof wanted === 'string' ? wanted : `${wanted.name} ${JSON.stringify(wanted.arguments ?? {})}`;
}

function listOf(steps: readonly SeenStep[]): string {
  return steps.length === 0 ? 'none' : steps.map(({ name }) => name).join(', ');
}

function told(sentence: string, found: readonly string[]): string | undefined {
  return found.length === 0 ? undefined : `${sentence} ${found.join(', ')}`;
}

function outside(amount: number, { min = 0, max = Infinity }: Between, thing: string): string | undefined {
  if (amount >= min && amount <= max) return undefined;
  const wanted = max === Infinity ? `at least ${min}` : `${min} to ${max}`;
  return `${amount} ${thing}${amount === 1 ? '' : 's'}, expected ${wanted}`;
}
