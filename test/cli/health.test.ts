/** The words of a worker on its health, for whoever replaces workers. */

import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startHealth, verdict, type Vitals, addressText } from '../../src/cli/working/watch.ts';
import { freePort, testHttpServer } from '../support/http-server.ts';

async function serve(vitals: Vitals) {
  const address = { host: '127.0.0.1', port: await freePort() };
  const { close } = await startHealth(address, vitals);
  onTestFinished(close);
  return Object.assign(asking(addressText(address)), address);
}

function asking(at: string) {
  return async (page: string, method = 'GET') => {
    const reply = await fetch(`http://${at}${page}`, { method });
    return [reply.status, method === 'HEAD' ? {} : await reply.json()] as const;
  };
}

const fine = () => Promise.resolve();
const broken = () => Promise.reject(new Error('ENOSPC'));

test.each<[string, string, Vitals['stands'], number, number, object]>([
  ['works', 'RUNNING', { store: fine }, 200, 200, { ok: true, worker: 'RUNNING', store: 'ok' }],
  [
    'lacks its store',
    'RUNNING',
    { store: broken, server: fine },
    200,
    503,
    { ok: false, store: 'ENOSPC', server: 'ok' },
  ],
  ['hands its work back', 'DRAINING', { store: fine }, 200, 503, { ok: false, worker: 'DRAINING' }],
  ['has failed', 'FAILED', { store: fine }, 503, 503, { ok: false, worker: 'FAILED' }],
])('one that %s', async (_, state, stands, live, ready, told) => {
  const ask = await serve({ state: () => state, stands });
  expect((await ask('/livez'))[0]).toBe(live);
  expect(await ask('/readyz?verbose')).toEqual([ready, expect.objectContaining(told)]);
  expect((await ask('/readyz', 'HEAD'))[0]).toBe(ready);
});

test('a check is made once for all who ask within 2 s', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let checks = 0;
  const ask = await serve({ state: () => 'RUNNING', stands: { store: async () => (checks += 1) } });
  await Promise.all(Array.from({ length: 20 }, () => ask('/readyz')));
  vi.setSystemTime(Date.now() + 2000);
  await ask('/readyz');
  expect(checks).toBe(1);
  vi.setSystemTime(Date.now() + 2001);
  await ask('/readyz');
  expect(checks).toBe(2);
});

test('a check that does not end has failed after 5 s', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  void verdict(() => new Promise(() => undefined)).then((one) => told.push(one));
  await vi.advanceTimersByTimeAsync(4999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual(['no answer within 5 s']);
});

test('a hundred connections are held, and no other', async () => {
  const { host, port } = await serve({ state: () => 'RUNNING', stands: {} });
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  for (let n = 0; n < 101; n += 1) {
    const socket = connect(port, host);
    sockets.push(socket);
    await once(socket, 'connect');
  }
  await once(sockets[100] as Socket, 'close');
  expect(sockets.filter(({ closed }) => closed)).toHaveLength(1);
});

test('has two pages, which are read', async () => {
  const ask = await serve({ state: () => 'RUNNING', stands: {} });
  expect(await ask('/')).toEqual([404, { ok: false, pages: ['/livez', '/readyz'] }]);
  expect((await ask('/livez', 'POST'))[0]).toBe(405);
});

test('an address that is taken is named', async () => {
  const { port } = await testHttpServer();
  const starting = startHealth({ host: '127.0.0.1', port }, { state: () => 'RUNNING', stands: {} });
  await expect(starting).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: expect.stringMatching(`port ${port} of 127\\.0\\.0\\.1 is taken.*--health`) as string,
  });
});
