/** Segments: files to which each process appends many results in one write. */

export { clearSegment, listSegment } from './clear.ts';
export { MAX_ENTRY_BYTES } from './entry.ts';
export { createSegments, SEGMENT_NAME } from './segments.ts';
export type { Segments } from './segments.ts';
export { createWriter } from './writer.ts';
