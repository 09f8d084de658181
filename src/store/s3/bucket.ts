/** A bucket of S3, or of a server that speaks its protocol: what is asked of it, and its errors in words. */

import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { inParallel } from '../in-parallel.ts';
import { optional } from '../missing-package.ts';
import { storeFault } from '../store-fault.ts';
import { StoreError } from '../store.ts';
import { isAboutCredentials, nameOf, tellS3 } from './words.ts';

/** A bucket and the part of it that a store has. Credentials are no part of it: they come as the AWS SDK finds them. */
export interface S3Place {
  readonly bucket: string;
  /** The folder of the store in the bucket. Default: all of it. */
  readonly prefix?: string;
  /** Default: AWS_REGION, the profile of the AWS config, and with an endpoint us-east-1. */
  readonly region?: string;
  /** The address of a server other than Amazon's, such as `http://127.0.0.1:9000`. */
  readonly endpoint?: string;
  /** Whether the bucket stands in the path of an address, and not in the name of its host. Default: with an endpoint. */
  readonly pathStyle?: boolean;
}

export interface Found {
  readonly key: string;
  readonly bytes: number;
  /** In milliseconds since 1970. */
  readonly at: number;
}

export interface Bucket {
  readonly place: string;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Whether it was free, and has these bytes now. @throws StoreError also where the server does not know the condition */
  putIfFree(key: string, bytes: Uint8Array): Promise<boolean>;
  get(key: string): Promise<Buffer | undefined>;
  /** Those whose keys begin so, in their order. */
  list(prefix: string, most?: number): AsyncGenerator<Found>;
  remove(keys: readonly string[]): Promise<void>;
}

const CONNECT_MS = 10_000;
/** Of one try at a request; the SDK makes up to three. */
const ANSWER_MS = 60_000;
const SOCKETS = 64;
/** A request of the protocol lists and removes at most so many. */
const PAGE = 1000;
const REMOVALS_AT_ONCE = 4;

/** Connects when it is first asked. Nothing needs to be closed. */
export function openBucket(at: S3Place): Bucket {
  const { bucket: Bucket, endpoint, region, prefix = '' } = at;
  const below = prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`;
  const place = `s3://${Bucket}/${below}`.replace(/\/$/, '');
  const name = (key: string) => ({ Bucket, Key: `${below}${key}` });
  let opened: S3Client | undefined;

  const load = () => optional('@aws-sdk/client-s3', 'A result store in S3', () => import('@aws-sdk/client-s3'));
  type Sdk = Awaited<ReturnType<typeof load>>;

  const client = ({ S3Client: Client }: Sdk): S3Client =>
    (opened ??= new Client({
      ...(region !== undefined && { region }),
      ...(endpoint !== undefined && { endpoint, ...(region === undefined && { region: 'us-east-1' }) }),
      forcePathStyle: at.pathStyle ?? endpoint !== undefined,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: ANSWER_MS,
        throwOnRequestTimeout: true,
        httpAgent: { maxSockets: SOCKETS },
        httpsAgent: { maxSockets: SOCKETS },
      },
    }));

  const asked = async <T>(
    what: 'unreadable' | 'unwritable',
    ask: (sdk: Sdk, client: S3Client) => Promise<T>,
    otherwise: (error: S3ServiceException) => { readonly instead: T } | undefined = () => undefined,
  ): Promise<T> => {
    const sdk = await load();
    try {
      return await ask(sdk, client(sdk));
    } catch (error) {
      if (error instanceof StoreError) throw error;
      // Those that were renewed in a file or by a service are read by a new client.
      if (isAboutCredentials(error)) opened = undefined;
      const known = error instanceof sdk.S3ServiceException ? otherwise(error) : undefined;
      if (known !== undefined) return known.instead;
      throw storeFault(what, place, tellS3(error), error);
    }
  };

  return {
    place,
    put: (key, Body) =>
      asked('unwritable', async ({ PutObjectCommand }, by) => {
        await by.send(new PutObjectCommand({ ...name(key), Body }));
      }),
    putIfFree: (key, Body) =>
      asked(
        'unwritable',
        async ({ PutObjectCommand }, by) => {
          await by.send(new PutObjectCommand({ ...name(key), Body, IfNoneMatch: '*' }));
          return true;
        },
        (error) => (nameOf(error) === 'PreconditionFailed' ? { instead: false } : undefined),
      ),
    get: (key) =>
      asked<Buffer | undefined>(
        'unreadable',
        async ({ GetObjectCommand }, by) => {
          const { Body } = await by.send(new GetObjectCommand(name(key)));
          return Body && Buffer.from(await Body.transformToByteArray());
        },
        (error) => (nameOf(error) === 'NoSuchKey' ? { instead: undefined } : undefined),
      ),
    async *list(start, most = Number.POSITIVE_INFINITY) {
      let left = most;
      for (let next: string | undefined, isMore = true; isMore && left > 0;) {
        const page = await asked('unreadable', async ({ ListObjectsV2Command }, by) => {
          const from = next === undefined ? {} : { ContinuationToken: next };
          const MaxKeys = Math.min(PAGE, left);
          return by.send(new ListObjectsV2Command({ Bucket, Prefix: `${below}${start}`, MaxKeys, ...from }));
        });
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          left -= 1;
          yield { key: Key.slice(below.length), bytes: Size, at: LastModified?.getTime() ?? Date.now() };
        }
        next = page.NextContinuationToken;
        isMore = next !== undefined;
      }
    },
    async remove(keys) {
      const pages = Array.from({ length: Math.ceil(keys.length / PAGE) }, (_, n) =>
        keys.slice(n * PAGE, (n + 1) * PAGE),
      );
      await inParallel(REMOVALS_AT_ONCE, pages, (page) =>
        asked('unwritable', async ({ DeleteObjectsCommand }, by) => {
          const Objects = page.map((key) => ({ Key: name(key).Key }));
          const { Errors = [] } = await by.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
          const [first] = Errors;
          if (first === undefined) return;
          throw Object.assign(new Error(`${first.Key}: ${first.Message}`), { name: first.Code ?? 'Error' });
        }),
      );
    },
  };
}
