/** `planwright combine`: a set operator on two files, as a combine node of a plan would apply it. */

import { combineSets, type ResultSet } from '../../algebra/index.ts';
import {
  compilePlan,
  operatorNames,
  readOperatorName,
  type Colocate,
  type Operator,
  type PlanIssue,
} from '../../plan/index.ts';
import { readTrack, toIdLines, toResultJson, type ReadIssue } from '../../results/index.ts';
import type { Output } from '../../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { nameOf, readBytes, readJsonWord } from '../reading/index.ts';

export interface CombineOptions {
  readonly upstream?: number | undefined;
  readonly downstream?: number | undefined;
  readonly strand?: 'both' | 'same' | 'opposite' | undefined;
  readonly operation?: 'overlap' | 'contains' | 'within' | undefined;
  readonly outputSide?: 'left' | 'right' | undefined;
  /** JSON. */
  readonly colocate?: string | undefined;
  /** What the id of a record from BED or GFF3 is. */
  readonly id: 'name' | 'location';
}

const COLOCATE_EXAMPLE = '{"left":{"upstream":1000},"right":"exact"}';

/** A problem of a file; without `line` it is one of the whole. */
interface FileIssue {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

export async function combine(
  options: CombineOptions & GlobalOptions,
  output: Output,
  operatorName: string,
  leftFile: string,
  rightFile: string,
): Promise<number> {
  const operator = operatorOf(operatorName);
  const colocate = colocateOf(operator, options, output);
  if (leftFile === '-' && rightFile === '-') {
    throw new CliError('USAGE', 'both sides are standard input; only one can be. Name a file for the other.');
  }
  const [left, right] = await readSides([leftFile, rightFile], options.id, output);
  const combined = combineSets(operator, left, right, colocate);
  if (!combined.ok) throw new CliError('INPUT_INVALID', combined.message);
  output.print(
    toResultJson(combined.set),
    () => toIdLines(combined.set),
    () => toResultJson(combined.set).records,
  );
  return exitCode('done');
}

function operatorOf(name: string): Operator {
  const reading = readOperatorName(name);
  if (reading.kind === 'operator') return reading.operator;
  if (reading.kind === 'ambiguous') throw new CliError('USAGE', reading.message);
  const message = `"${name}" is no operator.${reading.hint} There are ${operatorNames().join(', ')}.`;
  throw new CliError('USAGE', message);
}

/** Read by the compiler, as the one combine of a plan, so that both take the same and refuse with the same words. */
function colocateOf(operator: Operator, options: CombineOptions, output: Output): Colocate | undefined {
  const { upstream, downstream, strand, operation, outputSide } = options;
  const colocate =
    options.colocate === undefined ? undefined : readJsonWord('--colocate', options.colocate, COLOCATE_EXAMPLE);
  const flags = { upstream, downstream, strand, operation, output: outputSide, colocate };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (operator !== 'COLOCATE' && given.length > 0) {
    throw new CliError(
      'USAGE',
      `--${given[0]![0]} is for COLOCATE; ${operator} takes no window and no strand rule. Leave it out.`,
    );
  }
  const node = { operator, left: { task: 'left' }, right: { task: 'right' }, ...Object.fromEntries(given) };
  const compiled = compilePlan({ goal: 'combine', plan: node });
  for (const { severity, path, message } of compiled.ok ? compiled.warnings : []) {
    if (severity === 'warning') output.note(`${output.paint('yellow', 'warning')} ${flagOf(path)}: ${message}`);
  }
  if (compiled.ok) return compiled.plan.combines[0]!.colocate;
  const issues: readonly PlanIssue[] = compiled.issues.map((issue) => ({ ...issue, path: flagOf(issue.path) }));
  if (output.format === 'text') for (const { path, message } of issues) output.note(`${path}: ${message}`);
  const [first] = issues;
  throw new CliError('USAGE', `the parameters of COLOCATE do not fit: ${first!.path}: ${first!.message}`, { issues });
}

/** A path in the plan that was made of the flags, as the flag and the place in it. */
function flagOf(path: string): string {
  return path.replace(/^\$\.plan\.(\w+)/, '--$1');
}

async function readSides(
  files: readonly [string, string],
  id: CombineOptions['id'],
  output: Output,
): Promise<[ResultSet, ResultSet]> {
  const sets: ResultSet[] = [];
  const issues: FileIssue[] = [];
  for (const file of files) {
    const name = nameOf(file);
    const read = await readTrack(await readBytes(file, { what: 'a file of records' }), name, { id });
    if (read.ok) {
      sets.push(read.set);
      for (const note of read.notes) output.note(`${output.paint('dim', 'note')} ${name}: ${note}`);
    } else {
      issues.push(...read.issues.map((issue) => fileIssue(name, issue)));
    }
  }
  const [left, right] = sets;
  if (left !== undefined && right !== undefined) return [left, right];
  if (output.format === 'text') for (const issue of issues) output.note(issueLine(issue));
  throw new CliError('INPUT_INVALID', `the input has problems; the first is ${issueLine(issues[0]!)}`, { issues });
}

function fileIssue(file: string, { line, message }: ReadIssue): FileIssue {
  return line === 0 ? { file, message } : { file, line, message };
}

function issueLine({ file, line, message }: FileIssue): string {
  return `${file}${line === undefined ? '' : `, line ${line}`}: ${message}`;
}
