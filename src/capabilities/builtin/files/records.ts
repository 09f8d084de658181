import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ResultSet } from '../../../plan/algebra/index.ts';
import { given, isRecord } from '../../../protocol/index.ts';
import { messageOf, oneLine, quote } from '../../../plan/text/index.ts';
import { MAX_TRACK_BYTES, readTrack, SET_FORMATS, setText, type SetFormat } from '../../../store/index.ts';
import { CapabilityError, defineCapability, type Capability, type TaskInput } from '../../index.ts';
import { openFolders, type AllowedFolders, type FilesOptions } from './allowed-folders.ts';
import { fileFault, fileMisfit } from './folder-handle.ts';
import { checkThere, readWhole, sha256Of, writeWhole } from './whole-files.ts';

const MAX_PATH = 1000;

export function pathIn(folders: AllowedFolders) {
  return z
    .string()
    .min(1)
    .max(MAX_PATH)
    .superRefine((path, context) => {
      const message = folders.problemOf(path);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}

/** Heartbeat timeout in ms. It is long, since sorting millions of records sends no heartbeat. */
const HEARTBEAT_MS = 120_000;
/** How many bytes of a file are read before people approve the plan: 8 MiB. */
const LOOKED_BYTES = 8_388_608;

export function recordsFile(folders: AllowedFolders): Capability {
  const input = z.strictObject({
    path: pathIn(folders),
    id: z.enum(['name', 'location']).default('name'),
    type: z.string().min(1).optional(),
    attribute: z.string().min(1).optional(),
    skip: z.boolean().optional(),
    strict: z.boolean().default(false),
  });
  async function open(args: z.output<typeof input>, signal: AbortSignal, first?: number) {
    const { path, strict, ...options } = args;
    const { type, attribute } = options;
    const file = await readWhole(await folders.find(path), path, MAX_TRACK_BYTES, signal, first);
    const read = await readTrack(file.bytes, path, given(options), file.isWhole);
    if (!read.ok) throw fileMisfit(path, ...read.issues.map(({ line, message }) => lineOf(line) + message));
    if (read.format !== 'gff3' && (type ?? attribute) !== undefined)
      throw fileMisfit(path, `type and attribute are for GFF3, and this file is ${read.format}; leave them out`);
    if (read.format === 'ids' && !LISTS.test(path)) throw fileMisfit(path, NO_LIST);
    // A file that was read only in part passes `strict`, since the rest may contain what is missing in the beginning.
    if (strict && file.isWhole && read.notes.length > 0) throw fileMisfit(path, 'strict is set, and', ...read.notes);
    return { ...file, ...read };
  }
  return defineCapability({
    name: 'records.file',
    description: 'The records of a file: BED, GFF3, a list of ids, the JSON of a set; compressed with gzip or not.',
    guide: {
      when: 'Records that stand in a file of the project are to be combined with others, or counted.',
      examples: [
        'records.file { "path": "peaks.bed.gz" }',
        'records.file { "path": "genes.gff3", "type": "gene", "attribute": "Name" }',
      ],
    },
    input,
    output: 'set',
    effect: 'read',
    usesGoal: false,
    reads: ['files of the project'],
    readsResource: ({ path }) => resourceOf(folders.nameOf(path)),
    ...(folders.sourceOf !== undefined && {
      untrusted: ({ path }: { readonly path: string }) => folders.sourceOf?.(path),
    }),
    timeout: { heartbeatMs: HEARTBEAT_MS },
    async look({ arguments: args, written, signal }) {
      if (written.includes(resourceOf(folders.nameOf(args.path)))) return [];
      const { isWhole } = await open(args, signal, LOOKED_BYTES);
      return isWhole ? [] : [`${quote(args.path)}: only its first ${LOOKED_BYTES} bytes were looked at before it runs`];
    },
    changedSince: async (result) => (result.kind === 'set' ? changeOf(folders, result.set.source) : undefined),
    async execute({ arguments: args, signal }) {
      const { set, sha256, bytes, notes } = await open(args, signal);
      return { ...set, source: { path: folders.nameOf(args.path), sha256, bytes: bytes.length, notes } };
    },
  });
}

/** How a file differs in size or digest from when it was read or written, as a sentence. */
async function changeOf(folders: AllowedFolders, file: unknown): Promise<string | undefined> {
  if (!isRecord(file) || typeof file['path'] !== 'string') return undefined;
  const { path, bytes, sha256 } = file;
  try {
    const real = await folders.find(path);
    const isSame = (await checkThere(real, path)) === bytes && (await sha256Of(real)) === sha256;
    return isSame ? undefined : `${oneLine(path)} has changed`;
  } catch (error) {
    const isMissing = (error as { readonly cause?: { readonly code?: string } }).cause?.code === 'ENOENT';
    return isMissing ? `${oneLine(path)} is not there now` : `it is not known what has changed: ${messageOf(error)}`;
  }
}

/** File names of lists of ids. Any text can be parsed as a list of ids, so the file's name must show that it is one. */
const LISTS = /\.(?:txt|ids|list)(?:\.b?gz)?$/i;
const NO_LIST =
  'it is neither BED nor GFF3 nor the JSON of a set; a list of ids ends in .txt, .ids or .list, with .gz where it is compressed';

function lineOf(line: number): string {
  return line === 0 ? '' : `line ${line}: `;
}

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
    async look({ arguments: { path, replace }, signal }) {
      const real = await folders.place(path);
      const there = await checkThere(real, path).catch((error: unknown) => {
        throw fileFault(path, error);
      });
      if (there !== undefined && replace) await checkReplaced(real, path, signal);
      const why = replace
        ? 'and is replaced'
        : 'and stays: name another file, or say "replace": true, unless it is the same';
      return there === undefined ? [] : [`${quote(path)} is there already, ${why}`];
    },
    changedSince: async (result) => (result.kind === 'value' ? changeOf(folders, result.value) : undefined),
    async execute({ arguments: { path, format = formatOf(path)!, replace }, inputs, signal, idempotencyKey }) {
      const set = await onlySet(inputs);
      const text = setText(set, format);
      if (!text.ok) throw misfit(text.message);
      const real = await folders.place(path);
      const replaced = async () => checkReplaced(real, path, signal);
      const options = { path, signal, unique: digestOf(idempotencyKey), ...(replace && { checkReplaced: replaced }) };
      const { sha256, bytes } = await writeWhole(real, text.lines, options);
      return { path: folders.nameOf(path), format, records: set.ids.length, bytes, sha256 };
    },
  });
}

const TABLE = /^id\tsequence\tstart\tstop\tstrand\b/;
const SET_JSON = /^\s*\{\s*"ok"\s*:\s*true\s*,\s*"kind"\s*:\s*"set"/;

/**
 * Lets a plan replace only files of records, not programs, settings or lists of ids (any text could be such a list).
 * @throws CapabilityError if the present file is something else
 */
async function checkReplaced(real: string, path: string, signal: AbortSignal): Promise<void> {
  const { bytes, isWhole } = await readWhole(real, path, Number.MAX_SAFE_INTEGER, signal, LOOKED_BYTES);
  const beginning = Buffer.from(bytes.subarray(0, 200)).toString();
  if (bytes.length === 0 || TABLE.test(beginning)) return;
  const read = await readTrack(bytes, path, { id: 'location' }, isWhole);
  const isSet = read.ok && (isWhole || read.format !== 'json' || SET_JSON.test(beginning));
  if (isSet && read.format !== 'ids') return;
  throw fileMisfit(
    path,
    'what is there is no file of records (BED, GFF3, the JSON or TSV of a set), and stays; name another file',
  );
}

function formatOf(path: string): SetFormat | undefined {
  return FORMAT_OF_ENDING.get(/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase());
}

/** The problem if a file name's ending contradicts the format. Other programs would misread such a file. */
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

/**
 * A file as the name of a resource, of at most 200 characters. Names that some file system takes for one share it: in
 * another case or another form of Unicode. The case of ASCII is ignored where names are compared.
 */
function resourceOf(name: string): string {
  const foldCase = (odd: string) => odd.toUpperCase().toLowerCase();
  const folded = name
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(/\P{ASCII}+/gu, foldCase);
  const text = `file:${encodeURI(folded)}`;
  return text.length <= 200 ? text : `file:sha256:${digestOf(foldCase(folded))}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The capabilities `records.file` and `records.write` for the allowed folders. A project gets them through its config,
 * an agent as its tools.
 * @throws TypeError if the options are invalid
 * @example createRegistry([search, ...fileCapabilities({ folders: ['tracks'] })]);
 */
export function fileCapabilities(options: FilesOptions = {}): readonly Capability[] {
  const folders = openFolders(options);
  return folders.list.length === 0 ? [] : [recordsFile(folders), recordsWrite(folders)];
}
