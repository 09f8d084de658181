/** `records.file`: the records of a file; and with `records.write` the capabilities of a project for its files. */

import { z } from 'zod';
import { MAX_TRACK_BYTES, readTrack } from '../../../store/index.ts';
import { quote } from '../../../plan/text/index.ts';
import { CapabilityError, defineCapability, type Capability } from '../../index.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { pathIn, openFolders, type FilesOptions } from './allowed-folders.ts';
import { readWhole } from './read-whole.ts';
import { resourceOf, recordsWrite } from './records-write.ts';

/** The sort of millions of records keeps an attempt silent for longer than one else may be. */
const HEARTBEAT_MS = 120_000;
/** The most bytes of a file that is looked at as it stands, before anybody is asked about the plan: 8 MiB. */
const LOOKED_BYTES = 8_388_608;

export function recordsFile(folders: AllowedFolders): Capability {
  const input = z.strictObject({
    path: pathIn(folders),
    id: z.enum(['name', 'location']).default('name'),
    type: z.string().min(1).optional(),
    attribute: z.string().min(1).optional(),
    strict: z.boolean().default(false),
  });
  async function open(args: z.output<typeof input>, signal: AbortSignal, first?: number) {
    const { path, id, type, attribute, strict } = args;
    const file = await readWhole(await folders.find(path), path, MAX_TRACK_BYTES, signal, first);
    const options = { id, ...(type !== undefined && { type }), ...(attribute !== undefined && { attribute }) };
    const read = await readTrack(file.bytes, path, options, file.isWhole);
    if (!read.ok)
      throw refuse(
        path,
        read.issues.map(({ line, message }) => lineOf(line) + message),
      );
    if (read.format !== 'gff3' && (type ?? attribute) !== undefined) {
      throw refuse(path, [`type and attribute are for GFF3, and this file is ${read.format}; leave them out`]);
    }
    if (read.format === 'ids' && !LISTS.test(path)) throw refuse(path, [NO_LIST]);
    // The rest of a file may have what its beginning lacks.
    if (strict && file.isWhole && read.notes.length > 0) throw refuse(path, ['strict is set, and', ...read.notes]);
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
    timeout: { heartbeatMs: HEARTBEAT_MS },
    async look({ arguments: args, written, signal }) {
      if (written.includes(resourceOf(folders.nameOf(args.path)))) return [];
      const { isWhole } = await open(args, signal, LOOKED_BYTES);
      return isWhole ? [] : [`${quote(args.path)}: only its first ${LOOKED_BYTES} bytes were looked at before it runs`];
    },
    async execute({ arguments: args, signal }) {
      const { set, sha256, bytes, notes } = await open(args, signal);
      return { ...set, source: { path: folders.nameOf(args.path), sha256, bytes: bytes.length, notes } };
    },
  });
}

/** Any text would be a list of ids: programs, keys and letters are not read as such. */
const LISTS = /\.(?:txt|ids|list)(?:\.b?gz)?$/i;
const NO_LIST =
  'it is neither BED nor GFF3 nor the JSON of a set; a list of ids ends in .txt, .ids or .list, with .gz where it is compressed';

function lineOf(line: number): string {
  return line === 0 ? '' : `line ${line}: `;
}

/** Problems that an error names; a file of the wrong kind has one in each line. */
const NAMED = 5;

function refuse(path: string, problems: readonly string[]): CapabilityError {
  const more = problems.length > NAMED ? ` (and ${problems.length - NAMED} more)` : '';
  return new CapabilityError('REPLANNING', `${quote(path)}: ${problems.slice(0, NAMED).join(' ')}${more}`);
}

/**
 * The capabilities that read and write files of records:
 * `records.file` and `records.write`, under the folders that are allowed; none where no folder is. A project has them by
 * its config; for an agent they are listed as its tools.
 * @throws TypeError when the options do not fit.
 * @example createRegistry([search, ...fileCapabilities({ folders: ['tracks'] })]);
 */
export function fileCapabilities(options: FilesOptions = {}): readonly Capability[] {
  const folders = openFolders(options);
  return folders.list.length === 0 ? [] : [recordsFile(folders), recordsWrite(folders)];
}
