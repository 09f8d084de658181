import { NativeConnection } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { hasInbox } from '../../src/worker/plugin.ts';

test('the dev server has the attribute of the inbox; who does not say so has it not', async () => {
  const connection = await NativeConnection.connect({ address: inject('address') });
  expect(await hasInbox(connection, 'default')).toBe(true);
  expect(await hasInbox(connection, 'no-such-namespace')).toBe(false);
  await connection.close();
});
