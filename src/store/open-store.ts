import { resolve } from 'node:path';
import { quote } from '../plan/text/index.ts';
import { createFileStore } from './file-store.ts';
import { createPostgresStore } from './postgres-store.ts';
import { createS3Store, type S3Place } from './s3-store.ts';
import { StoreError, type Store } from './store.ts';

/** The remote stores that this process has opened, so that all callers share connections. */
const REMOTE = new Map<string, Store>();

/**
 * Opens the store that a text names: `postgres://...`, `s3://BUCKET/PREFIX?region=...&endpoint=...`, otherwise a
 * folder. A remote store connects on first use.
 * @throws StoreError with the expected form
 * @example openStore('s3://plans/results?region=eu-central-1')
 */
export function openStore(text: string): Store {
  if (!isRemoteStore(text)) return createFileStore(text);
  const store = REMOTE.get(text) ?? (text.startsWith('s3:') ? createS3Store(readS3(text)) : createPostgresStore(text));
  REMOTE.set(text, store);
  return store;
}

/**
 * Whether a text names a database or a bucket.
 * @throws StoreError for any other text that looks like a URL, since the name of a folder could then contain a password
 * @example isRemoteStore('s3://plans/results'); // true
 */
export function isRemoteStore(text: string): boolean {
  if (/^(?:postgres(?:ql)?:\/\/|s3:\/\/[^/?#])/.test(text)) return true;
  // A single letter before the colon is a Windows drive.
  const [scheme] = /^[^\w./\\]*[a-z][a-z\d+.-]+:\/*/i.exec(text) ?? [];
  if (scheme === undefined) return false;
  const expected = 'expected a folder, postgres://HOST/... or s3://BUCKET/...';
  throw new StoreError(
    'unreadable',
    `a result store: ${expected}, got a text that begins ${quote(scheme)}; write a folder of that name as ./NAME`,
  );
}

/**
 * The text that names a store, with an absolute path if it is a folder.
 * @example storeText('results', '/srv/plans'); // '/srv/plans/results'
 */
export function storeText(text: string, base: string): string {
  return isRemoteStore(text) ? text : resolve(base, text);
}

/**
 * The text for `openStore` that names a bucket.
 * @example s3Text({ bucket: 'plans', prefix: 'results' }); // 's3://plans/results'
 */
export function s3Text({ bucket, prefix = '', ...settings }: S3Place): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) query.set(name, String(value));
  const path = prefix.split('/').map(encodeURIComponent).join('/').replace(/^\/+/, '');
  return `s3://${bucket}/${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

const SETTINGS = ['region', 'endpoint', 'pathStyle'];

function readS3(text: string): S3Place {
  const { hostname, pathname, searchParams } = new URL(text);
  const unknown = [...searchParams.keys()].find((name) => !SETTINGS.includes(name));
  if (unknown !== undefined)
    throw new StoreError(
      'unreadable',
      `a result store in S3 has no setting ${quote(unknown)}; known are ${SETTINGS.join(', ')}`,
    );
  const { region, endpoint, pathStyle } = Object.fromEntries(searchParams);
  const prefix = decodeURIComponent(pathname).replace(/^\/|\/$/g, '');
  return {
    bucket: hostname,
    ...(prefix !== '' && { prefix }),
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(pathStyle !== undefined && { pathStyle: pathStyle === 'true' }),
  };
}
