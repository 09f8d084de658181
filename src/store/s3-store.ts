/** A store in a bucket of S3 or a compatible server, for workers on many machines, with one object for each key. */

import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { inParallel } from './in-lines.ts';
import { checkKey, forgotten, StoreError, type Store, optional, storeFault, type ExplainedError } from './store.ts';
import { messageOf } from '../plan/text/index.ts';

const CREDENTIALS = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'TokenRefreshRequired',
  'InvalidToken',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'CredentialsProviderError',
]);

/** Error names for responses without an XML body, for example to a HEAD request or from a proxy. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  412: 'PreconditionFailed',
  429: 'SlowDown',
  503: 'ServiceUnavailable',
};

function isAboutCredentials(error: unknown): boolean {
  return CREDENTIALS.has(s3ErrorName(error));
}

/** The error code of S3 or of the system (`ECONNREFUSED`), or the class of the error. */
function s3ErrorName(error: unknown): string {
  const {
    name = '',
    code,
    $metadata,
  } = (error ?? {}) as {
    name?: string;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return code;
  const isNamed = name !== '' && !['Error', 'Unknown', 'UnknownError', 'AggregateError', 'TypeError'].includes(name);
  return isNamed ? name : (BY_STATUS[$metadata?.httpStatusCode ?? 0] ?? (name === '' ? 'Error' : name));
}

const RENEW =
  'Give valid ones where the AWS SDK looks for them (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, a role); what was stored is there, and renewed ones of a file or a role are taken without a restart.';
const REGION = 'Name the region of the bucket as results.s3.region, or AWS_REGION.';
const BUSY = 'The server asks for fewer calls, or is busy: it is tried again.';
const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied:
    'Its credentials need s3:GetObject, s3:PutObject and s3:ListBucket there, and s3:DeleteObject for "store gc".',
  NoSuchBucket: 'Make the bucket first, or name another one.',
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  IllegalLocationConstraintException: REGION,
  SlowDown: BUSY,
  ServiceUnavailable: BUSY,
  InternalError: BUSY,
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  NotImplemented: 'This server does not have what a result store needs.',
  XMinioStorageFull: 'The disk of the server is full: make room.',
  ...Object.fromEntries([...CREDENTIALS].map((name) => [name, RENEW])),
};
const UNREACHED = 'Check that the server runs at this address, and that this machine may reach it.';

function explainS3Error(error: unknown): ExplainedError {
  const code = s3ErrorName(error);
  const region = regionIn(error);
  const message = `${messageOf(error) || code}${region === undefined ? '' : `; the bucket is in ${region}`}`;
  if (/region is missing/i.test(message)) return { code: 'NoRegion', message, advice: REGION };
  return { code, message, advice: ADVICE[code] ?? UNREACHED };
}

function regionIn(error: unknown): string | undefined {
  const { $response, Region } = (error ?? {}) as {
    $response?: { headers?: Readonly<Record<string, string>> };
    Region?: string;
  };
  return $response?.headers?.['x-amz-bucket-region'] ?? Region;
}

/** A bucket, and the store's place in it. Credentials come from the usual sources of the AWS SDK. */
export interface S3Place {
  readonly bucket: string;
  /** The folder of the store in the bucket. Default: the whole bucket. */
  readonly prefix?: string;
  /** The region. Default: AWS_REGION, then the AWS profile. With an endpoint: us-east-1. */
  readonly region?: string;
  /** The address of a server other than Amazon's, such as `http://127.0.0.1:9000`. */
  readonly endpoint?: string;
  /** Put the name of the bucket into the path of the URL instead of its host. Default: true with an endpoint. */
  readonly pathStyle?: boolean;
}

const CONNECT_MS = 10_000;
/** Time limit in ms for one attempt. The SDK makes up to three. */
const ANSWER_MS = 60_000;
const SOCKETS = 64;
/** Maximum number of keys in one listing or removal, by the S3 protocol. */
const PAGE = 1000;
const REMOVALS_AT_ONCE = 4;
const PROBE = 'probe/if-none-match';

/**
 * Creates a store in a bucket. Needs the package `@aws-sdk/client-s3`, which finds the credentials: environment,
 * profile or role. It connects on first use. Nothing needs to be closed.
 * @example createWorker({ ...place, registry, store: createS3Store({ bucket: 'plans', prefix: 'results' }) });
 */
export function createS3Store(at: S3Place): Store {
  const { bucket: Bucket, endpoint, region, prefix: folder = '' } = at;
  const below = folder === '' ? '' : `${folder.replace(/\/+$/, '')}/`;
  const place = `s3://${Bucket}/${below}`.replace(/\/$/, '');
  const name = (key: string) => ({ Bucket, Key: `${below}${checkKey(key)}` });
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

  const request = async <T>(
    what: 'unreadable' | 'unwritable',
    ask: (sdk: Sdk, client: S3Client) => Promise<T>,
    otherwise: (error: S3ServiceException) => { readonly instead: T } | undefined = () => undefined,
  ): Promise<T> => {
    const sdk = await load();
    try {
      return await ask(sdk, client(sdk));
    } catch (error) {
      if (error instanceof StoreError) throw error;
      // Only a new client reads credentials that a file or a service has renewed.
      if (isAboutCredentials(error)) opened = undefined;
      const known = error instanceof sdk.S3ServiceException ? otherwise(error) : undefined;
      if (known !== undefined) return known.instead;
      throw storeFault(what, place, explainS3Error(error), error);
    }
  };

  const store: Store = {
    place,
    async get(key) {
      const object = name(key);
      return request<Uint8Array | undefined>(
        'unreadable',
        async ({ GetObjectCommand }, by) => {
          const { Body } = await by.send(new GetObjectCommand(object));
          return Body && Buffer.from(await Body.transformToByteArray());
        },
        (error) => (s3ErrorName(error) === 'NoSuchKey' ? { instead: undefined } : undefined),
      );
    },
    async put(key, Body) {
      const object = { ...name(key), Body, IfNoneMatch: '*' };
      return request(
        'unwritable',
        async ({ PutObjectCommand }, by) => {
          await by.send(new PutObjectCommand(object));
          return true;
        },
        // If two writers put a key at the same moment, one of them gets the second error.
        (error) =>
          ['PreconditionFailed', 'ConditionalRequestConflict'].includes(s3ErrorName(error))
            ? { instead: false }
            : undefined,
      );
    },
    async *list(prefix, after) {
      const StartAfter = after === undefined ? {} : { StartAfter: `${below}${after}` };
      for (let next: string | undefined, isMore = true; isMore;) {
        const page = await request('unreadable', async ({ ListObjectsV2Command }, by) => {
          const from = next === undefined ? StartAfter : { ContinuationToken: next };
          return by.send(new ListObjectsV2Command({ Bucket, Prefix: `${below}${prefix}`, MaxKeys: PAGE, ...from }));
        });
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? [])
          yield { key: Key.slice(below.length), bytes: Size, at: LastModified?.getTime() ?? Date.now() };
        next = page.NextContinuationToken;
        isMore = next !== undefined;
      }
    },
    async remove(keys) {
      const pages = Array.from({ length: Math.ceil(keys.length / PAGE) }, (_, n) =>
        keys.slice(n * PAGE, (n + 1) * PAGE),
      );
      await inParallel(REMOVALS_AT_ONCE, pages, (page) => {
        const Objects = page.map((key) => ({ Key: name(key).Key }));
        return request('unwritable', async ({ DeleteObjectsCommand }, by) => {
          const { Errors = [] } = await by.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
          const [first] = Errors;
          if (first === undefined) return;
          throw Object.assign(new Error(`${first.Key}: ${first.Message}`), { name: first.Code ?? 'Error' });
        });
      });
    },
    /** Writes and reads a key. Also reads a missing key, which a bucket denies without the right to list. */
    async probe() {
      await store.put(PROBE, Buffer.from('first'));
      if ((await store.get(PROBE)) === undefined) throw forgotten(PROBE, place);
      await store.get('probe/nothing');
      // If the bucket ignores this condition, two processes could write the same key, and an effect could begin twice.
      if (!(await store.put(PROBE, Buffer.from('second')))) return;
      const message = `The result store at ${place} does not keep "If-None-Match: *": a second process could write over what one has. Use a bucket of a server that keeps it (Amazon S3, MinIO, Cloudflare R2, Ceph), a database or a file system.`;
      throw new StoreError('unwritable', message);
    },
  };
  return store;
}
