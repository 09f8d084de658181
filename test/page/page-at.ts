/** The app of the page, as a request of a test reaches it. */

import { createApp } from '../../src/page/serve.ts';
import type { Entrance } from '../../src/page/access.ts';
import type { Plans } from '../../src/operations/index.ts';

export const ORIGIN = 'http://127.0.0.1:7280';
export const TOKEN = 'a-token-of-thirty-two-characters';
export const HERE: Entrance = { origins: [ORIGIN, 'http://localhost:7280'] };
export const PROXY: Entrance = {
  origins: ['https://plans.example.org'],
  proxy: { header: 'X-User', addresses: ['10.0.0.2'] },
};

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly from?: string;
}

/** The page, before runs that write down who asks for them. */
export function pageAt(entrance: Entrance) {
  const touched: string[] = [];
  const touch = (id: string) => {
    touched.push(id);
    return Promise.reject(Object.assign(new Error(`no run ${id}`), { name: 'ClientError', code: 'no-run' }));
  };
  const plans = {
    typed: (command: string) => command,
    project: async () => undefined,
    run: touch,
    session: () => touch('all'),
  };
  const { app, close } = createApp({ plans: plans as unknown as Plans, entrance });
  close();
  const [origin = ''] = entrance.origins;
  const ask = async (path: string, { method = 'GET', headers = {}, body, from = '127.0.0.1' }: Asked = {}) => {
    const sent = Object.entries({ host: new URL(origin).host, ...headers }).flatMap(([name, value]) =>
      value.split('\n').map((one) => [name, one] as [string, string]),
    );
    const init = { method, headers: sent, ...(body !== undefined && { body }) };
    const headersDistinct = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.split('\n')]),
    );
    const env = { incoming: { socket: { remoteAddress: from }, headersDistinct } };
    const answer = await app.request(path, init, env);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { ask, touched };
}

/** The cookies that an answer sets, as a browser brings them back. */
export const cookiesOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');

export const FORM = 'application/x-www-form-urlencoded';
export const KILL = 'run=plan-1&does=kill&comment=no&by=operator';
