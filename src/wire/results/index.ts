/** Results and where they are kept; their import and export. */

export type { ResultSet } from '../../language/algebra/index.ts';
export type { ResultHandle } from '../contract/index.ts';
export type { JsonValue } from '../../language/plan/index.ts';
export { decodeResult, encodeResult } from './codec.ts';
export type { DecodedResult, EncodedResult, Result } from './codec.ts';
export { createFileStore } from './file-store.ts';
export type { Inventory, Item, ItemKind, OpenedStore, Removed } from './inventory.ts';
export { hasLostNames } from './names.ts';
export { isRemoteStore, openStore, s3Text, storeText } from './open-store.ts';
export { createPostgresStore } from './postgres/postgres-store.ts';
export { readBed } from './read-bed.ts';
export { readGff3 } from './read-gff3.ts';
export { readIdList } from './read-id-list.ts';
export type { ReadIssue, ReadSet } from './read-set.ts';
export { MAX_TRACK_BYTES, readTrack, readTrackFile } from './read-track-file.ts';
export type { ReadTrack, TrackFormat } from './read-track-file.ts';
export { digestOfRef, refOfBytes, refOfDigest } from './refs.ts';
export type { S3Place } from './s3/bucket.ts';
export { createS3Store } from './s3/s3-store.ts';
export { fromResultJson, toIdLines, toResultJson } from './result-json.ts';
export type { ReadResultJson, RecordJson, ResultJson } from './result-json.ts';
export type { TrackOptions, TrackOptions as BedOptions } from './track-collector.ts';
export { SET_FORMATS, setText } from './set-text.ts';
export type { SetFormat, SetText } from './set-text.ts';
export { STORE_ERROR_CODES, StoreError } from './store.ts';
export type { ResultStore, StoreErrorCode } from './store.ts';
export { readResult, UnstorableError, writeResult } from './stored-results.ts';
