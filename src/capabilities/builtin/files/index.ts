/** The door of the files of a project: `records.file` reads one, `records.write` writes one. */

export { fileCapabilities } from './records-file.ts';
export type { FilesOptions } from './allowed-folders.ts';
