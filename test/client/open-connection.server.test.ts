/** A connection that is closed while a call waits for its next try, on a real server behind a way that is cut. */

import { expect, inject, test } from 'vitest';
import { openConnection } from '../../src/client/connect-client.ts';
import { openProxy } from '../cli/proxy.ts';

const CANCELLED = 1;

test('a call that waits for its next try fails as cancelled once its connection is closed', async () => {
  const proxy = await openProxy(inject('address'));
  const { connection, close } = await openConnection({ address: proxy.address });
  await proxy.cut();
  const tried = connection.workflowService.getSystemInfo({});
  const ended = expect(tried).rejects.toMatchObject({ code: CANCELLED });
  await close();
  await ended;
});
