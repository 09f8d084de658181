/** `records.write`: a set as a file. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ResultSet } from '../../../plan/algebra/index.ts';
import { SET_FORMATS, setText, type SetFormat } from '../../../store/index.ts';
import { quote, wellFormed } from '../../../plan/text/index.ts';
import { CapabilityError, defineCapability, type Capability, type TaskInput } from '../../index.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { fileFault } from './file-fault.ts';
import { pathIn } from './allowed-folders.ts';
import { checkThere, writeWhole } from './write-whole.ts';

/** The sort of millions of records keeps an attempt silent for longer than one else may be. */
const HEARTBEAT_MS = 120_000;

const FORMAT_OF_ENDING: ReadonlyMap<string | undefined, SetFormat> = new Map([
  ...SET_FORMATS.map((format) => [format, format] as const),
  ['gff', 'gff3'],
]);

export function recordsWrite(folders: AllowedFolders): Capability {
  const input = z
    .strictObject({
      path: pathIn(folders),
      format: z.enum(SET_FORMATS).optional(),
      replace: z.boolean().default(false),
    })
    .superRefine(({ path, format }, context) => {
      const message = endingProblem(path, format);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['path'], message });
    });
  return defineCapability({
    name: 'records.write',
    description: 'Writes the set that its input gives to a file: BED, GFF3, a table (TSV) or JSON.',
    guide: {
      when: 'A set of records is to stand in a file when the plan is done.',
      examples: [
        'records.write { "path": "result.bed" }',
        'records.write { "path": "out/genes.tsv", "replace": true }',
      ],
    },
    input,
    output: 'value',
    effect: 'idempotent',
    usesGoal: false,
    timeout: { heartbeatMs: HEARTBEAT_MS },
    resource: ({ path }) => resourceOf(folders.nameOf(path)),
    async look({ arguments: { path, replace } }) {
      const there = await checkThere(await folders.place(path), path).catch((error: unknown) => {
        throw fileFault(path, error);
      });
      const why = replace
        ? 'and is replaced'
        : 'and stays: name another file, or say "replace": true, unless it is the same';
      return there === undefined ? [] : [`${quote(path)} is there already, ${why}`];
    },
    async execute({ arguments: { path, format = formatOf(path)!, replace }, inputs, signal, idempotencyKey }) {
      const set = await onlySet(inputs);
      const text = setText(set, format);
      if (!text.ok) throw misfit(text.message);
      const options = { path, replace, signal, unique: digestOf(idempotencyKey) };
      const { sha256, bytes } = await writeWhole(await folders.place(path), text.lines, options);
      return { path: folders.nameOf(path), format, records: set.ids.length, bytes, sha256 };
    },
  });
}

function formatOf(path: string): SetFormat | undefined {
  return FORMAT_OF_ENDING.get(/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase());
}

/** A name that says another format than the content has would be read as that. */
function endingProblem(path: string, format: SetFormat | undefined): string | undefined {
  if (/\.b?gz$/i.test(path)) return 'it would be compressed, and files are written plain; leave the ending out';
  const ending = formatOf(path);
  if (ending === undefined && format === undefined) {
    return `its ending names no format; end it in .${SET_FORMATS.join(', .')}, or give format`;
  }
  if (ending === undefined || format === undefined || ending === format) return undefined;
  return `its ending says ${ending}, and format says ${format}; give one of them`;
}

async function onlySet(inputs: readonly TaskInput[]): Promise<ResultSet> {
  const [input, another] = inputs;
  if (input === undefined || another !== undefined) {
    throw misfit(`it writes the one set that it stands on, and has ${inputs.length} inputs; give it one as input`);
  }
  const result = await input.read();
  if (result.kind === 'set') return result.set;
  throw misfit(`its input ${quote(input.name)} is a ${result.kind}; what is written is a set`);
}

function misfit(why: string): CapabilityError {
  return new CapabilityError('REPLANNING', `records.write: ${why}`);
}

/** A resource is at most 200 visible ASCII characters, and two files must not be one. */
export function resourceOf(name: string): string {
  const text = `file:${encodeURI(wellFormed(name))}`;
  return text.length <= 200 ? text : `file:sha256:${digestOf(name)}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
