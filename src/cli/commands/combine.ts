/** `planwright combine`: a set operator on two files, as a combine node of a plan would apply it. */

import { SET_OPERATORS } from '../../plan/algebra/index.ts';
import { OperationError, type Heard } from '../../operations/index.ts';
import { defineCommand } from '../define-command.ts';
import { choice, count, flag, or, text } from '../options.ts';
import { printSet, setForm } from '../set-form.ts';
import type { Output } from '../terminal/index.ts';
import { FILE_SHAPE } from '../flags.ts';

const COLOCATE_EXAMPLE = '{"left":{"upstream":1000},"right":"exact"}';

export const combineCommand = defineCommand({
  name: 'combine',
  description: 'apply a set operator to two files of records; needs no server',
  examples: ['planwright combine COLOCATE exons.bed alus.bed --upstream 1000 --strand same'],
  arguments: {
    operator: `${SET_OPERATORS.join(', ')}, or one of their other names`,
    left: 'ids, BED, GFF3 or the JSON of a set, gzip or not; or - for standard input',
    right: 'the same',
  },
  flags: {
    upstream: count('COLOCATE: bases of the window before each left record', 0),
    downstream: count('COLOCATE: bases of the window after each left record', 0),
    window: count('COLOCATE: both of them in one', 0),
    strand: choice('<rule>', 'COLOCATE: both, same or opposite', ['both', 'same', 'opposite']),
    operation: choice('<operation>', 'COLOCATE: overlap, contains or within', ['overlap', 'contains', 'within']),
    outputSide: choice('<side>', 'COLOCATE: left or right', ['left', 'right']),
    colocate: text('<json>', 'COLOCATE: the parameters as in a plan, in full'),
    invert: flag('COLOCATE: the records of the output side that meet none of the other'),
    id: or(
      'name',
      choice(
        '<id>',
        'of records from BED and GFF3: name or location, or both, left,right; names may repeat where COLOCATE gives no records',
        ['name', 'location', 'name,location', 'location,name'],
      ),
    ),
    type: text('<type>', 'of GFF3: features of this type alone, such as gene; several with commas'),
    attribute: text('<name>', 'of GFF3: the attribute that is the id; default ID'),
    format: FILE_SHAPE,
    strict: flag('what is noted on stderr is an error'),
  },
  async run({ operator, left, right, colocate, id, format, ...rest }, { output, perform }) {
    const form = setForm(format, output);
    if (left === '-' && right === '-') {
      const message = 'both sides are standard input; only one can be. Name a file for the other.';
      throw new OperationError('USAGE', message);
    }
    const { readJsonWord, readTrackFile } = await import('../reading/index.ts');
    const parameters = colocate === undefined ? undefined : readJsonWord('--colocate', colocate, COLOCATE_EXAMPLE);
    const [leftId, rightId = leftId] = id.split(',') as [Id, Id?];
    const sides = {
      left: { ...(await readTrackFile(left)), id: leftId },
      right: { ...(await readTrackFile(right)), id: rightId },
    };
    const hear = (told: Heard) => tell(told, output);
    const { upstream, downstream, window, strand, operation, outputSide, invert, type, attribute, strict } = rest;
    const around = { upstream, downstream, window, strand, operation, outputSide, invert, colocate: parameters };
    const asked = { operator, ...sides, ...around, type, attribute, format: form, strict };
    printSet(await perform('combine', asked, { hear }), output);
    return 'done';
  },
});

type Id = 'name' | 'location';

/** A problem stands in the JSON of the error already. */
function tell({ is, text: told }: Heard, { format, note, paint }: Output): void {
  if (is !== 'issue') note(`${paint(is === 'warning' ? 'yellow' : 'dim', is)} ${told}`);
  else if (format === 'text') note(told);
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
