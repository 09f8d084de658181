import { Command } from 'commander';
import { SET_OPERATORS } from '../../algebra/index.ts';
import { act, example } from '../act.ts';
import type { CombineOptions } from '../actions/combine.ts';

export function combineCommand(): Command {
  const command = new Command('combine')
    .description('apply a set operator to two files of records; needs no server')
    .argument('<operator>', `${SET_OPERATORS.join(', ')}, or one of their other names`)
    .argument('<left>', 'ids, BED, GFF3 or the JSON of a set, gzip or not; or - for standard input')
    .argument('<right>', 'the same')
    .option('--upstream <n>', 'COLOCATE: bases of the window before each left record')
    .option('--downstream <n>', 'COLOCATE: bases of the window after each left record')
    .option('--strand <rule>', 'COLOCATE: both, same or opposite')
    .option('--operation <operation>', 'COLOCATE: overlap, contains or within')
    .option('--output-side <side>', 'COLOCATE: left or right')
    .option('--colocate <json>', 'COLOCATE: the parameters as in a plan, in full')
    .option('--id <id>', 'of records from BED and GFF3: name or location', 'name');
  example(command, 'planwright combine COLOCATE exons.bed alus.bed --upstream 1000 --strand same');
  return act<CombineOptions>(command, async () => (await import('../actions/combine.ts')).combine);
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
