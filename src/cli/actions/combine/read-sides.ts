/** The two files of `combine`. */

import type { ResultSet } from '../../../language/algebra/index.ts';
import { MAX_TRACK_BYTES, readTrack, type ReadIssue, type TrackOptions } from '../../../wire/results/index.ts';
import type { Colocate } from '../../../language/plan/index.ts';
import type { Output } from '../../terminal/index.ts';
import { CliError } from '../../cli-error.ts';
import { nameOf, readBytes } from '../../reading/index.ts';

export interface SideOptions {
  /** What the id of a record from BED or GFF3 is: of both files, or of the left one and the right one. */
  readonly id: TrackOptions['id'] | 'name,location' | 'location,name';
  /** Of the GFF3 files among the two. */
  readonly type?: string | undefined;
  readonly attribute?: string | undefined;
}

interface Sides {
  readonly left: ResultSet;
  readonly right: ResultSet;
  /** What was taken differently from how it stands; it has been told. */
  readonly notes: readonly string[];
}

/** A problem of a file; without `line` it is one of the whole. */
interface FileIssue {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

const WANTED = {
  what: 'a file of records',
  limit: {
    bytes: MAX_TRACK_BYTES,
    error: (name: string, got: string) =>
      new CliError('INPUT_INVALID', `${name} has ${got}, and at most ${MAX_TRACK_BYTES} are read; split it`),
  },
};

/**
 * @param told the side that the records of the result come from, where they come from one: the ids of the other are told to nobody
 * @throws CliError INPUT_INVALID with every problem of both files, or as `readBytes`
 */
export async function readSides(
  files: readonly [string, string],
  { id, type, attribute }: SideOptions,
  told: Colocate['output'] | undefined,
  output: Output,
): Promise<Sides> {
  const [leftId, rightId = leftId] = id.split(',') as [TrackOptions['id'], TrackOptions['id']?];
  const options = { ...(type !== undefined && { type }), ...(attribute !== undefined && { attribute }) };
  const sets: ResultSet[] = [];
  const issues: FileIssue[] = [];
  const notes: string[] = [];
  let hasGff3 = false;
  for (const [at, file] of files.entries()) {
    const name = nameOf(file);
    const bytes = await readBytes(file, WANTED);
    const [side, ownId] = at === 0 ? (['left', leftId] as const) : (['right', rightId] as const);
    const namesRepeat = told !== undefined && told !== side;
    const read = await readTrack(bytes, name, { ...options, id: ownId, namesRepeat });
    if (read.ok) {
      sets.push(read.set);
      hasGff3 ||= read.format === 'gff3';
      for (const note of read.notes) {
        notes.push(`${name}: ${note}`);
        output.note(`${output.paint('dim', 'note')} ${name}: ${note}`);
      }
    } else {
      issues.push(...read.issues.map((issue) => fileIssue(name, issue)));
    }
  }
  const [left, right] = sets;
  if (left !== undefined && right !== undefined) {
    if (hasGff3 || (type ?? attribute) === undefined) return { left, right, notes };
    const flag = type === undefined ? '--attribute' : '--type';
    throw new CliError('USAGE', `${flag} is for GFF3, and neither file is; leave it out`);
  }
  // The error names one; only where there are more is there a list to look through.
  const [first, second] = issues;
  if (second === undefined) throw new CliError('INPUT_INVALID', issueLine(first!), { issues });
  if (output.format === 'text') for (const issue of issues) output.note(issueLine(issue));
  throw new CliError('INPUT_INVALID', `the input has problems; the first is ${issueLine(first!)}`, { issues });
}

function fileIssue(file: string, { line, message }: ReadIssue): FileIssue {
  return line === 0 ? { file, message } : { file, line, message };
}

function issueLine({ file, line, message }: FileIssue): string {
  return `${file}${line === undefined ? '' : `, line ${line}`}: ${message}`;
}
