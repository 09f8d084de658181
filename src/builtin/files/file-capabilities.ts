/** The capabilities that read and write files of records. */

import type { Capability } from '../../define/index.ts';
import { openFolders, type FilesOptions } from './allowed-folders.ts';
import { recordsFile } from './records-file.ts';
import { recordsWrite } from './records-write.ts';

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
