import { z } from 'zod';
import { didYouMean, type JsonValue } from '../../../plan/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { quote } from '../../../plan/text/index.ts';
import { CapabilityError, defineCapability, type TaskInput } from '../../index.ts';
import type { Calculated, Problem, Calculation } from './evaluate.js';
import { threadOf, ThreadStopped } from '../../in-thread.ts';

/**
 * Limits for the characters of an expression and the digits of an answer.
 * @bound .length {characters} an expression of `calculate`, and a variable that is one @beyond refused, or `REPLANNING`
 */
const LIMITS = { length: 2000, precision: 64 };

const MAX_VARIABLES = 50;
const MAX_UNIT = 40;

const MAX_LISTED = 60;

const NAME = /^[A-Za-z_]\w*$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const source = z.union([z.number(), z.string().max(LIMITS.length)]);

/**
 * Computes an expression (VentureScope: calculate) to `{ value, unit?, expression, variables, rounded? }` with decimals
 * as texts. `variables` are numbers, expressions of each other in any order, or results such as `{ value: '4.2' }`;
 * numeric results of earlier steps are variables under their keys. The computation has 80 digits. An answer with
 * endless digits has 20, or `precision` digits, and is marked `rounded`. `unit` is only copied. A wrong expression
 * fails with `REPLANNING`, and the message says where.
 * @example defineConfig({ capabilities: [calculate] });
 */
export const calculate = defineCapability({
  name: 'calculate',
  description: 'Works out an arithmetic expression of numbers, variables and earlier results, exactly.',
  guide: {
    when: 'A number follows from other numbers. Never work it out in words.',
    examples: [
      'calculate { "expression": "people * share * price", "variables": { "people": 1200000, "share": "3 / 100", "price": "9.90" }, "unit": "EUR a year" }',
      'calculate { "expression": "round(total / 7, 2)" }',
    ],
  },
  input: z.strictObject({
    expression: z.string().max(LIMITS.length),
    variables: z
      .record(z.string(), z.union([source, z.looseObject({ value: source })]))
      .refine((value) => Object.keys(value).length <= MAX_VARIABLES, `expected at most ${MAX_VARIABLES} variables`)
      .optional(),
    unit: z.string().trim().min(1).max(MAX_UNIT).optional(),
    precision: z.int().min(1).max(LIMITS.precision).optional(),
  }),
  output: 'value',
  effect: 'read',
  usesGoal: false,
  async execute({ arguments: args, inputs, signal }) {
    const { expression, unit, precision } = args;
    const sources = Object.entries(args.variables ?? {}).map(([name, value]) => [name, sourceOf(value)] as const);
    const earlier = await numbersOf(inputs);
    const own = new Set(sources.map(([name]) => name));
    const variables = [...earlier.numbers.filter(([name]) => !own.has(name)), ...sources];
    const calculation = { expression, variables, ...(precision !== undefined && { precision }) };
    const calculated = await calculateInThread(calculation, signal);
    if (!calculated.ok) throw new CapabilityError('REPLANNING', problemText(calculated.problem, earlier.others));
    return resultOfCalculation(calculated, own, { expression, ...(unit !== undefined && { unit }) });
  },
});

function resultOfCalculation(
  { value, rounded, variables, mentioned }: Extract<Calculated, { ok: true }>,
  names: ReadonlySet<string>,
  calculation: { readonly expression: string; readonly unit?: string },
): JsonValue {
  const used = Object.entries(variables).filter(([name]) => names.has(name) || mentioned.includes(name));
  return { value, ...calculation, variables: Object.fromEntries(used), ...(rounded && { rounded }) };
}

function sourceOf(variable: number | string | { readonly value: number | string }): string {
  return String(typeof variable === 'object' ? variable.value : variable);
}

async function numbersOf(inputs: readonly TaskInput[]) {
  const numbers: (readonly [name: string, source: string])[] = [];
  const others: string[] = [];
  for (const { name, read } of inputs) {
    const result = await read();
    const number = result.kind === 'value' ? numberIn(result.value) : undefined;
    if (number === undefined) others.push(`${quote(name)} is no number`);
    else if (!NAME.test(name)) others.push(`${quote(name)} is no name; give its number under variables`);
    else numbers.push([name, number]);
  }
  return { numbers, others };
}

/** The number in a result of `calculate` or `ask`: a number, a decimal as text, or an object with one as `value`. */
function numberIn(result: JsonValue): string | undefined {
  const value = isRecord(result) ? result['value'] : result;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && DECIMAL.test(value.trim()) ? value.trim() : undefined;
}

function problemText({ message, part, at, unknown, known = [] }: Problem, others: readonly string[]): string {
  const place = [part, ...(at === undefined ? [] : [`character ${at}`])].join(', ');
  const hint =
    unknown === undefined ? '' : `.${didYouMean(unknown, known)} Known are ${known.slice(0, MAX_LISTED).join(', ')}`;
  const notes = unknown === undefined || others.length === 0 ? '' : `. Of the inputs ${others.join('; ')}`;
  return `calculate: ${place}: ${message}${hint}${notes}`;
}

/**
 * Time limit in ms of a calculation, counted from when its thread is ready.
 * @bound a calculation @beyond its thread is stopped, and `REPLANNING`
 */
const CALCULATION_MS = 2000;

/** Each calculation gets a new thread, so that an expression by a model cannot affect later ones. */
const inThread = threadOf<Calculated>(new URL('./calculation-thread.js', import.meta.url));

/** Calculates in a thread. More than 2 s or 128 MB is a problem. @throws the reason of `signal` if it is aborted */
export async function calculateInThread(
  calculation: Calculation,
  signal: AbortSignal,
  limitMs = CALCULATION_MS,
): Promise<Calculated> {
  try {
    return await inThread(calculation, limitMs, signal);
  } catch (error) {
    if (!(error instanceof ThreadStopped)) throw error;
    return { ok: false, problem: { message: error.message, part: 'expression' } };
  }
}
