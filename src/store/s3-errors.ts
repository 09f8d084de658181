/** Explains the errors of S3 and of the AWS SDK. */

import { messageOf } from '../plan/text/index.ts';
import type { ExplainedError } from './store-fault.ts';

const CREDENTIALS = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'TokenRefreshRequired',
  'InvalidToken',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'CredentialsProviderError',
]);

/** Statuses without an XML body, as of a HEAD or a proxy. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  412: 'PreconditionFailed',
  429: 'SlowDown',
  503: 'ServiceUnavailable',
};

export function isAboutCredentials(error: unknown): boolean {
  return CREDENTIALS.has(s3ErrorName(error));
}

/** The error code of S3, else of the system, such as `ECONNREFUSED`, or the class name. */
export function s3ErrorName(error: unknown): string {
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

export function tellS3(error: unknown): ExplainedError {
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
