/** MinIO, a server of the protocol of S3, in a folder of its own on a free port of loopback. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, notBuilt } from './go-program.mjs';
import { freePort, runServer } from './server.mjs';

/** The last version whose source is public. */
const MINIO = { name: 'minio', source: 'github.com/minio/minio', version: 'v0.0.0-20260212201848-7aac2a2c5b7c' };
export const noMinio = () => notBuilt(MINIO);
/** A user of the server. */
export const MINIO_USER = { AWS_ACCESS_KEY_ID: 'planwright', AWS_SECRET_ACCESS_KEY: 'planwright-minio' };

/** @param {{ bucket: string, folder?: string, port?: number }} options the bucket is a folder, made before it starts */
export async function startMinio({ bucket, folder: given, port: wanted }) {
  const program = build(MINIO);
  const folder = given ?? mkdtempSync(join(tmpdir(), 'planwright-minio-'));
  const port = wanted ?? (await freePort());
  mkdirSync(join(folder, bucket), { recursive: true });
  const env = {
    ...process.env,
    MINIO_ROOT_USER: MINIO_USER.AWS_ACCESS_KEY_ID,
    MINIO_ROOT_PASSWORD: MINIO_USER.AWS_SECRET_ACCESS_KEY,
    MINIO_BROWSER: 'off',
    MINIO_UPDATE: 'off',
  };
  const server = runServer(program, ['server', '--address', `127.0.0.1:${port}`, folder], {
    options: { env },
    isReady: (line) => line.includes('API:'),
  });
  await server.start();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    folder,
    start: server.start,
    /** @param {NodeJS.Signals} [signal] */
    stop: (signal) => server.stop(signal),
    async close() {
      await server.stop('SIGKILL');
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
