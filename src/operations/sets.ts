/** Set operators on two files of records, as a combine of a plan would apply them. */

import type { z } from 'zod';
import { combineSets, observeSets, type ResultSet } from '../plan/algebra/index.ts';
import { compilePlan, operatorNames, readOperatorName, type Colocate, type Operator } from '../plan/index.ts';
import { readTrack, type TrackOptions } from '../store/index.ts';
import { given } from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import { choiceField, countField, flagField, operation, textField, type Waiting, type Z } from './operation.ts';
import { GIVEN, setForms, setIn } from './set-form.ts';

const colocateFields = (z: Z) => ({
  upstream: countField(z, 'COLOCATE: bases of the window before each left record', 0),
  downstream: countField(z, 'COLOCATE: bases of the window after each left record', 0),
  window: countField(z, 'COLOCATE: both of them in one', 0),
  strand: choiceField(z, ['both', 'same', 'opposite'], 'COLOCATE: both, same or opposite'),
  operation: choiceField(z, ['overlap', 'contains', 'within'], 'COLOCATE: overlap, contains or within'),
  outputSide: choiceField(z, ['left', 'right'], 'COLOCATE: left or right'),
  invert: flagField(z, 'COLOCATE: the records of the output side that meet none of the other'),
  colocate: z.unknown().optional().describe('COLOCATE: the parameters as in a plan, in full'),
});

type ColocateFields = { readonly [Name in keyof ReturnType<typeof colocateFields>]?: unknown };

const side = (z: Z) =>
  z
    .object({ name: z.string().describe('of the file, for messages'), content: z.custom<string | Uint8Array>() })
    .describe('ids, BED, GFF3 or the JSON of a set, gzip or not');

type Id = NonNullable<TrackOptions['id']>;

type Side = z.output<ReturnType<typeof side>>;

/**
 * Does what a combine of a plan does; needs no server and no project. `LEFT` and `RIGHT` are lists of ids (one a
 * line), BED (0-based, half-open), GFF3 (1-based, closed) or the JSON of a set, compressed with gzip or not; one of
 * them may be `-`, standard input. `OPERATOR` is an operator of docs/plans.md, such as `MINUS` (in left, not in
 * right), or one of its other names.
 *
 * - `--strand`: default `both`. A record without strand meets all.
 * - `--operation`: what the left window does to the right record; default `overlap`.
 * - `--output-side`: whose records come back; default `left`.
 * - `--colocate`: with regions too: `{"left":{"upstream":1000},"right":"exact"}`.
 * - `--id`: its name where it has one, or its place `sequence:start-stop:strand`; two words are for the two files, as
 *   `name,location`.
 * - `--strict`: the error is `INPUT_INVALID`, with `error.notes` in JSON, and nothing is printed.
 *
 * Prints one id a line, in the order of code units; docs/files.md has the formats, with examples. JSON is as of
 * `result`, and is taken as input again. Two sets that cannot meet, since no sequence name or no id is in both, are
 * noted on stderr with a guess at why. Bad input exits 2; in JSON `error.issues` lists `{"file","line"?,"message"}`.
 */
export const combine = operation({
  command: {
    words: 'combine <operator> <left> <right>',
    lines: ['records'],
    example: 'combine COLOCATE exons.bed alus.bed --upstream 1000',
    from: { left: 'track', right: 'track', colocate: 'json' },
    shows: GIVEN,
  },
  does: 'Applies a set operator to two files of records.',
  input: (z) =>
    z.object({
      operator: z.string().describe(`${operatorNames().join(', ')}, or one of their other names`),
      left: side(z),
      right: side(z),
      ...colocateFields(z),
      id: z
        .enum(['name', 'location', 'name,location', 'location,name'])
        .default('name')
        .describe(
          'of records from BED and GFF3: name or location, or both, left,right; names may repeat where COLOCATE gives no records',
        ),
      type: textField(z, 'of GFF3: features of this type alone; several with commas'),
      attribute: textField(z, 'of GFF3: the attribute that is the id; default ID'),
      skip: flagField(z, 'leave out lines that cannot be read, or that a set cannot hold; a note counts them'),
      format: setForms(z),
      strict: flagField(z, 'what is odd about the input is an error'),
    }),
  async run(
    _plans,
    { operator: name, left, right, id, type, attribute, skip, format = 'json', strict, ...fields },
    waiting = {},
  ) {
    const operator = operatorOf(name);
    const colocate = colocateOf(operator, fields, waiting);
    const options = { id, told: colocate?.output, skip, ...given({ type, attribute }) };
    const { sets, notes } = await readSides([left, right], options, waiting);
    const seen = observeSets(operator, ...sets);
    for (const note of seen) waiting.hear?.({ is: 'warning', text: `${operator}: ${note}` });
    const odd = [...notes, ...seen];
    if (strict === true && odd.length > 0) {
      const what = odd.length === 1 ? '1 note is an error' : `${odd.length} notes are errors`;
      throw new OperationError('INPUT_INVALID', `under --strict ${what}`, { notes: odd });
    }
    const combined = combineSets(operator, ...sets, colocate);
    if (!combined.ok) throw new OperationError('INPUT_INVALID', combined.message);
    return setIn(combined.set, format);
  },
});

function operatorOf(name: string): Operator {
  const reading = readOperatorName(name);
  if (reading.kind === 'operator') return reading.operator;
  if (reading.kind === 'ambiguous') throw new OperationError('USAGE', reading.message);
  const message = `"${name}" is no operator.${reading.hint} There are ${operatorNames().join(', ')}.`;
  throw new OperationError('USAGE', message);
}

/** Read by the compiler, as the one combine of a plan, so that both take the same and refuse with the same words. */
function colocateOf(operator: Operator, fields: ColocateFields, { hear }: Waiting): Colocate | undefined {
  const { window, upstream, downstream, outputSide, ...rest } = fields;
  if (window !== undefined && (upstream ?? downstream) !== undefined) {
    throw new OperationError('USAGE', '--window is --upstream and --downstream in one; give it or them');
  }
  const around = { upstream: upstream ?? window, downstream: downstream ?? window };
  const asked = given({ ...around, output: outputSide, ...rest });
  const [first] = Object.keys(asked);
  if (operator !== 'COLOCATE' && first !== undefined) {
    const flag = window === undefined ? first : 'window';
    const message = `--${flag} is for COLOCATE; ${operator} takes no window and no strand rule. Leave it out.`;
    throw new OperationError('USAGE', message);
  }
  const node = { operator, left: { task: 'left' }, right: { task: 'right' }, ...asked };
  const compiled = compilePlan({ goal: 'combine', plan: node });
  for (const { severity, path, message } of compiled.ok ? compiled.warnings : []) {
    if (severity === 'warning') hear?.({ is: 'warning', text: `${flagOf(path)}: ${message}` });
  }
  if (compiled.ok) return compiled.plan.combines[0]!.colocate;
  const issues = compiled.issues.map((issue) => ({ ...issue, path: flagOf(issue.path) }));
  for (const { path, message } of issues) hear?.({ is: 'issue', text: `${path}: ${message}` });
  const [{ path, message }] = issues as [(typeof issues)[0]];
  throw new OperationError('USAGE', `the parameters of COLOCATE do not fit: ${path}: ${message}`, { issues });
}

/** A path in the plan that was made of the flags, as the flag and the place in it. */
function flagOf(path: string): string {
  return path.replace(/^\$\.plan\.(\w+)/, '--$1');
}

interface SideOptions extends Pick<TrackOptions, 'type' | 'attribute'> {
  /** Of both sides, or of the left and the right one. */
  readonly id: string;
  readonly skip: boolean | undefined;
  /** The side that the records of the result come from, where they come from one: names may repeat on the other. */
  readonly told: Colocate['output'] | undefined;
}

/**
 * @returns the sets, and each thing that was taken differently from how it stands, which has been told
 * @throws OperationError INPUT_INVALID with every problem of both files
 */
async function readSides(
  sides: readonly [Side, Side],
  { id: ids, told, skip = false, ...gff3 }: SideOptions,
  { hear }: Waiting,
): Promise<{ readonly sets: readonly [ResultSet, ResultSet]; readonly notes: readonly string[] }> {
  const sets: ResultSet[] = [];
  const issues: { readonly file: string; readonly line?: number; readonly message: string }[] = [];
  const notes: string[] = [];
  let hasGff3 = false;
  const [leftId, rightId = leftId] = ids.split(',') as [Id, Id?];
  for (const [at, { name: file, content }] of sides.entries()) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const own = at === 0 ? 'left' : 'right';
    const options = {
      ...gff3,
      skip,
      id: own === 'left' ? leftId : rightId,
      namesRepeat: told !== undefined && told !== own,
    };
    const read = await readTrack(bytes, file, options);
    if (!read.ok) {
      issues.push(...read.issues.map(({ line, message }) => ({ file, ...(line > 0 && { line }), message })));
      continue;
    }
    sets.push(read.set);
    hasGff3 ||= read.format === 'gff3';
    notes.push(...read.notes.map((note) => `${file}: ${note}`));
  }
  for (const text of notes) hear?.({ is: 'note', text });
  const [left, right] = sets;
  if (left !== undefined && right !== undefined) {
    const [flag] = Object.keys(gff3);
    if (hasGff3 || flag === undefined) return { sets: [left, right], notes };
    throw new OperationError('USAGE', `--${flag} is for GFF3, and neither file is; leave it out`);
  }
  const lines = issues.map(
    ({ file, line, message }) => `${file}${line === undefined ? '' : `, line ${line}`}: ${message}`,
  );
  // The error names one; only where there are more is there a list to look through.
  if (issues.length === 1) throw new OperationError('INPUT_INVALID', lines[0]!, { issues });
  for (const text of lines) hear?.({ is: 'issue', text });
  throw new OperationError('INPUT_INVALID', `the input has problems; the first is ${lines[0]}`, { issues });
}
