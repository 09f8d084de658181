/** Segments: files to which each process appends many results in one write. */

export { MAX_ENTRY_BYTES } from './entry.ts';
export type { NewEntry } from './entry.ts';
export { createSegments } from './segments.ts';
export type { Segments } from './segments.ts';
export { createWriter } from './writer.ts';
