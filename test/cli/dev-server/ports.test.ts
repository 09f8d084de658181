/** Free ports and taken ones. */

import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, isListening, isPortFree } from '../../../src/cli/dev-server/ports.ts';

test('a free port is one that no outgoing connection gets', async () => {
  const port = await freePort();
  expect(port).toBeGreaterThanOrEqual(10_000);
  expect(port).toBeLessThan(30_000);
  expect(await isPortFree(port)).toBe(true);
  expect(await isListening(port)).toBe(false);
});

test('a port that a server has is not free, and listening', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await isPortFree(port)).toBe(false);
  expect(await isListening(port)).toBe(true);
  server.close();
});
