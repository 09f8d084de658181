/** The model that is typed as an address: a server that has one model need not be told its name. */

import { expect, test } from 'vitest';
import { typedModel } from '../../src/cli/typed-model.ts';
import { testHttpServer } from '../support/http-server.ts';

async function serve(status: number, body: unknown): Promise<string> {
  const { url } = await testHttpServer((request, response) => {
    response.writeHead(request.url === '/v1/models' ? status : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return `${url}/v1`;
}

const listed = (...names: readonly string[]) => ({ data: names.map((id) => ({ id })) });

test('is none where none was typed, and is not looked for where it was named', async () => {
  expect(await typedModel({})).toBeUndefined();
  const named = { model: 'http://127.0.0.1:9/v1/', modelName: 'local' };
  expect(await typedModel(named)).toEqual({ baseURL: 'http://127.0.0.1:9/v1', name: 'local' });
});

test('is the only one that its server has', async () => {
  const model = await serve(200, listed('local'));
  expect(await typedModel({ model })).toEqual({ baseURL: model, name: 'local' });
});

test.each<[string, number, unknown, RegExp]>([
  ['two models', 200, listed('small', 'large'), /has 2 models; name one with --model-name: "small", "large"/],
  ['no models', 200, listed(), /has no models; name one with --model-name$/],
  ['another answer', 200, 'yes', /has no models/],
  ['no list', 404, {}, /does not say which models it has \(it answered 404\)/],
])('a server with %s: a name is asked for', async (_, status, body, problem) => {
  const model = await serve(status, body);
  await expect(typedModel({ model })).rejects.toMatchObject({ code: 'USAGE', message: expect.stringMatching(problem) });
});

test.each(['nonsense', 'ftp://host/v1', 'http://user@host/v1', 'http://host/v1?key=1'])(
  '%s is no address',
  async (model) => {
    await expect(typedModel({ model, modelName: 'x' })).rejects.toThrow('expected http(s)://host/v1');
  },
);
