/** How `planwright combine` is typed. */

import { Command } from 'commander';
import { SET_OPERATORS } from '../../language/algebra/index.ts';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { choice, choiceOr, count, flag, text } from '../options/index.ts';
import { FILE_SHAPE } from './tables.ts';

export function combineCommand(): Command {
  const command = new Command('combine')
    .description('apply a set operator to two files of records; needs no server')
    .argument('<operator>', `${SET_OPERATORS.join(', ')}, or one of their other names`)
    .argument('<left>', 'ids, BED, GFF3 or the JSON of a set, gzip or not; or - for standard input')
    .argument('<right>', 'the same');
  example(command, 'planwright combine COLOCATE exons.bed alus.bed --upstream 1000 --strand same');
  const table = {
    upstream: count('COLOCATE: bases of the window before each left record', 0),
    downstream: count('COLOCATE: bases of the window after each left record', 0),
    window: count('COLOCATE: both of them in one', 0),
    strand: choice('<rule>', 'COLOCATE: both, same or opposite', ['both', 'same', 'opposite']),
    operation: choice('<operation>', 'COLOCATE: overlap, contains or within', ['overlap', 'contains', 'within']),
    outputSide: choice('<side>', 'COLOCATE: left or right', ['left', 'right']),
    colocate: text('<json>', 'COLOCATE: the parameters as in a plan, in full'),
    invert: flag('COLOCATE: the records of the output side that meet none of the other'),
    id: choiceOr('name', '<id>', 'of records from BED and GFF3: name or location, or both, left,right', [
      'name',
      'location',
      'name,location',
      'location,name',
    ]),
    type: text('<type>', 'of GFF3: features of this type alone, such as gene; several with commas'),
    attribute: text('<name>', 'of GFF3: the attribute that is the id; default ID'),
    format: FILE_SHAPE,
    strict: flag('what is noted on stderr is an error'),
  };
  return act(command, table, ACTIONS.combine);
}

/** `--output left` of `combine` names a side; the program's own `--output` names a format, which no side is. */
export function plainSides(args: readonly string[]): string[] {
  if (!args.includes('combine')) return [...args];
  return args.map((arg, at) => {
    if (arg === '--output' && isSide(args[at + 1])) return '--output-side';
    return arg.startsWith('--output=') && isSide(arg.slice('--output='.length))
      ? arg.replace('--output', '--output-side')
      : arg;
  });
}

function isSide(value: string | undefined): boolean {
  return value === 'left' || value === 'right';
}
