/** The Web UI of a server that was found, not started: where a dev server puts it, if one is there. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { webUiOf } from '../../../src/operations/web-ui.ts';

/** A Web UI takes no other method than GET. */
const WEB_UI: RequestListener = ({ method, url }, answer) =>
  answer.writeHead(method !== 'GET' ? 405 : url === '/api/v1/cluster-info' ? 200 : 404).end();
const ANOTHER: RequestListener = ({ url }, answer) => answer.writeHead(url === '/' ? 200 : 404).end();

test.each([
  ['a Web UI is named by its address', WEB_UI, true],
  ['another server on that port is not taken for one', ANOTHER, false],
] as const)('%s', async (_, listener, isFound) => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const found = await webUiOf({ address: `127.0.0.1:${port - 1000}` });
  server.close();
  expect(found).toBe(isFound ? `http://127.0.0.1:${port}` : undefined);
});
