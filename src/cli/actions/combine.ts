/** `planwright combine`: a set operator on two files, as a combine node of a plan would apply it. */

import { readFile } from 'node:fs/promises';
import { combineSets, type ResultSet } from '../../algebra/index.ts';
import { compilePlan, operatorNames, readOperatorName } from '../../plan/index.ts';
import type { Colocate, Operator, PlanIssue } from '../../plan/index.ts';
import { readTrack, toIdLines, toResultJson, type ReadIssue } from '../../results/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { choiceOption, countOption } from './values.ts';

export interface CombineOptions {
  readonly upstream?: string;
  readonly downstream?: string;
  readonly strand?: string;
  readonly operation?: string;
  readonly outputSide?: string;
  readonly colocate?: string;
  readonly id: string;
}

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
  const id = choiceOption('--id', options.id, ['name', 'location']) ?? 'name';
  if (leftFile === '-' && rightFile === '-') {
    throw new CliError('USAGE', 'both sides are standard input; only one can be. Name a file for the other.');
  }
  const [left, right] = await readSides([leftFile, rightFile], id, output);
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
  const flags = {
    upstream: countOption('--upstream', options.upstream, 0),
    downstream: countOption('--downstream', options.downstream, 0),
    strand: choiceOption('--strand', options.strand, ['both', 'same', 'opposite']),
    operation: choiceOption('--operation', options.operation, ['overlap', 'contains', 'within']),
    output: choiceOption('--output', options.outputSide, ['left', 'right']),
    colocate: options.colocate === undefined ? undefined : parseColocate(options.colocate),
  };
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

function parseColocate(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CliError(
      'USAGE',
      `--colocate: expected JSON such as {"left":{"upstream":1000},"right":"exact"} (${reasonOf(error)})`,
    );
  }
}

/** A path in the plan that was made of the flags, as the flag and the place in it. */
function flagOf(path: string): string {
  return path.replace(/^\$\.plan\.(\w+)/, '--$1');
}

async function readSides(
  files: readonly [string, string],
  id: 'name' | 'location',
  output: Output,
): Promise<[ResultSet, ResultSet]> {
  const sets: ResultSet[] = [];
  const issues: FileIssue[] = [];
  for (const file of files) {
    const name = file === '-' ? 'standard input' : file;
    const read = await readTrack(await bytesOf(file), name, { id });
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

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    if (file !== '-') return await readFile(file);
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new CliError('NO_SUCH_FILE', `there is no file ${file}; name a file of records, or - for standard input`);
    }
    if (code === 'EISDIR') throw new CliError('NOT_A_FILE', `${file} is a directory; name a file in it`);
    throw new CliError('NOT_READABLE', `${file} cannot be read: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
