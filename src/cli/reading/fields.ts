import { wrongUsage, readsFile, type InputField } from '../../operations/index.ts';
import { dashed } from '../options.ts';
import type { Output } from '../terminal/index.ts';
import { READERS } from './files.ts';
import { speakerOf } from './speaker.ts';

type Typed = Readonly<Record<string, unknown>>;

export async function readFields(fields: readonly InputField[], typed: Typed, output: Output): Promise<Typed> {
  const stdin = fields.filter((field) => readsFile(field) && typed[field.name] === '-');
  if (stdin.length > 1) {
    const named = stdin.map(({ name }) => name).join(' and ');
    throw wrongUsage(`${named} are both standard input; only one can be. Name a file for the other.`);
  }
  const input: Record<string, unknown> = {};
  for (const field of fields) Object.assign(input, await readField(field, typed, output));
  return input;
}

async function readField({ name, from, ...field }: InputField, all: Typed, output: Output): Promise<object> {
  const typed = all[name] ?? field.default;
  if (from === 'columns') return { [name]: output.columns };
  if (from === 'project') return { [name]: (all['config'] ?? all['demo']) !== undefined };
  if (from === 'person') return { [name]: speakerOf({ by: typed, demo: all['demo'] } as object).by };
  if (from === 'flag') return {};
  if (from === 'none' || typed === undefined) return field.default === undefined ? {} : { [name]: field.default };
  const read = READERS[from === 'source-fields' ? 'source' : (from ?? '')];
  const value = read === undefined ? typed : await read(typed as string, `--${dashed(name)}`);
  return from === 'source-fields' ? (value as object) : { [name]: value };
}
