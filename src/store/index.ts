export type { ResultSet } from '../plan/algebra/index.ts';
export type { ResultHandle } from '../protocol/index.ts';
export type { EncryptionKeys } from '../protocol/encryption/index.ts';
export type { JsonValue } from '../plan/index.ts';
export { inLines, inParallel } from './in-lines.ts';
export {
  decodeResult,
  encodeResult,
  type DecodedResult,
  type EncodedResult,
  type Result,
  encodedResult,
  readResult,
  UnstorableError,
  writeResult,
} from './codec.ts';
export { encryptedStore, isEncrypted } from './sealed-store.ts';
export { createFileStore } from './file-store.ts';
export { isRemoteStore, openStore, s3Text, storeText } from './open-store.ts';
export {
  AGENTS,
  CONVERSATIONS,
  conversationResource,
  conversationScope,
  planResource,
  DOCUMENTS,
  GRANTS,
  UNTRUSTED,
  hashOf,
  ownerOf,
  ownerScope,
  rootIdOf,
  RUNS,
  runScope,
  scopeOf,
  selfIn,
  STARTS,
  digestOfRef,
  refOfBytes,
  refOfDigest,
} from './owners.ts';
export { createPostgresStore } from './postgres-store.ts';
export {
  readBed,
  MAX_TRACK_BYTES,
  readTrack,
  readTrackFile,
  type ReadTrack,
  type TrackFormat,
} from './tracks/read-track-file.ts';
export { readGff3 } from './tracks/read-gff3.ts';
export { readIdList } from './read-id-list.ts';
export type { ReadIssue, ReadSet } from './read-set.ts';
export { createS3Store, type S3Place } from './s3-store.ts';
export { fromResultJson, toIdLines, toResultJson } from './result-json.ts';
export type { ReadResultJson, RecordJson, ResultJson } from './result-json.ts';
export type { TrackOptions, TrackOptions as BedOptions } from './tracks/track-collector.ts';
export { SET_FORMATS, setText } from './set-text.ts';
export type { SetFormat, SetText } from './set-text.ts';
export { putReceipt, receiptsIn } from './receipts.ts';
export { damageOf, openResults, resultsIn, type Piece, type ResultStore } from './results.ts';
export { childrenOf, STORE_ERROR_CODES, StoreError } from './store.ts';
export type { Found, Store, StoreErrorCode } from './store.ts';
