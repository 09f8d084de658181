/** The Web UI of a server that was found, not started: where a dev server puts it, if one is there. */

import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { webUiOf } from '../../../src/operations/web-ui.ts';
import { testHttpServer } from '../../support/http-server.ts';

/** A Web UI takes no other method than GET. */
const WEB_UI: RequestListener = ({ method, url }, answer) =>
  answer.writeHead(method !== 'GET' ? 405 : url === '/api/v1/cluster-info' ? 200 : 404).end();
const ANOTHER: RequestListener = ({ url }, answer) => answer.writeHead(url === '/' ? 200 : 404).end();

test.each([
  ['a Web UI is named by its address', WEB_UI, true],
  ['another server on that port is not taken for one', ANOTHER, false],
] as const)('%s', async (_, listener, isFound) => {
  const { port, url } = await testHttpServer(listener);
  expect(await webUiOf({ address: `127.0.0.1:${port - 1000}` })).toBe(isFound ? url : undefined);
});
