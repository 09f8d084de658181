/** Which model is asked, of whatever the layers say, and which key its server is sent. */

import { describe, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import {
  isModelClient,
  modelKey,
  modelSettings,
  withSecrets,
  type ChosenModel,
  type ModelLayer,
  type ServerSettings,
} from '../../src/config/index.ts';
import { openModels } from '../../src/config/own-worker/index.ts';
import type { ModelClient } from '../../src/models/index.ts';
import { chatEvents, startModelServer } from '../support/model-server.ts';

/** A double of a model: it is never asked. */
const client = (name = 'scripted'): ModelClient => ({
  name,
  complete: () => Promise.reject(new Error('a double that is not to be asked')),
});
const one = client();
const other = client('another');

const OPENAI: ServerSettings = { name: 'large', api: 'responses', format: 'json_schema' };
const LOCAL = {
  name: 'small',
  baseURL: 'http://127.0.0.1:8080/v1',
  api: 'chat',
  format: 'json_schema',
} satisfies ServerSettings;
const bare = {};
/** As plain JavaScript may have it. */
const JS: object = { temperature: undefined, timeout: { totalMs: undefined } };
const prices = { large: { input: 2, output: 8 } };

const [LARGE, SMALL] = [{ name: 'large' }, { name: 'small', baseURL: LOCAL.baseURL }];
const openai = (request: object = {}) => ({ client: OPENAI, request });
const local = (request: object = {}) => ({ client: LOCAL, request });

test.each<[string, readonly ModelLayer[], ChosenModel | undefined]>([
  ['nothing at all', [], undefined],
  ['nothing, with settings on top that name no model', [undefined, { temperature: 1 }], undefined],
  ['a name alone', [LARGE], openai()],
  ['a server of its own', [SMALL], local()],
  [
    'what a server of its own can',
    [{ ...SMALL, api: 'responses', format: 'none' }],
    { client: { ...LOCAL, api: 'responses', format: 'none' }, request: bare },
  ],
  ['a server of its own on top', [LARGE, SMALL], local()],
  [
    'what is asked, on top',
    [{ ...LARGE, temperature: 1, maxTokens: 100 }, { maxTokens: 50 }],
    openai({ temperature: 1, maxTokens: 50 }),
  ],
  ['no temperature', [{ ...LARGE, temperature: null }], openai()],
  ['no temperature, on top', [{ ...LARGE, temperature: 1 }, { temperature: null }], openai()],
  ['a temperature on top of none', [{ ...LARGE, temperature: null }, { temperature: 1 }], openai({ temperature: 1 })],
  ['what is there and undefined, on top', [{ ...LARGE, temperature: 1 }, JS], openai({ temperature: 1 })],
  [
    'prices of several models',
    [
      { ...LARGE, prices },
      { name: 'small', prices: { small: { input: 1, output: 1 } } },
    ],
    {
      client: { ...OPENAI, name: 'small', prices: { ...prices, small: { input: 1, output: 1 } } },
      request: bare,
    },
  ],
  [
    'timeouts by field',
    [{ name: 'large', timeout: { totalMs: 9, idleMs: 3 } }, { timeout: { idleMs: 5 } }],
    { client: { ...OPENAI, timeout: { totalMs: 9, idleMs: 5 } }, request: bare },
  ],
  [
    'headers, query and members of the body by name',
    [
      { name: 'small', baseURL: LOCAL.baseURL, headers: { a: '1', b: '2' }, query: { v: '1' }, extraBody: { seed: 1 } },
      { headers: { b: { env: 'B' } }, extraBody: { top_p: 0.5 } },
    ],
    {
      client: {
        ...LOCAL,
        ...{ headers: { a: '1', b: { env: 'B' } }, query: { v: '1' }, extraBody: { seed: 1, top_p: 0.5 } },
      },
      request: bare,
    },
  ],
  [
    'another address begins without what belongs to the one below',
    [
      {
        ...{ name: 'small', baseURL: 'http://other/v1', headers: { 'api-key': { env: 'A' } }, query: { v: '1' } },
        ...{ extraBody: { seed: 1 }, tokensName: 'max_completion_tokens', omit: ['seed'], reasoningEffort: 'low' },
      },
      { baseURL: LOCAL.baseURL },
    ],
    local({ reasoningEffort: 'low' }),
  ],
  ['a client', [one], { client: one, request: bare }],
  ['a client, asked otherwise', [one, { temperature: 1 }], { client: one, request: { temperature: 1 } }],
  ['a client on top of settings', [{ ...LARGE, maxTokens: 9 }, one], { client: one, request: { maxTokens: 9 } }],
  ['a client on top of a client', [one, other], { client: other, request: bare }],
])('%s', (_, layers, chosen) => {
  expect(modelSettings(...layers)).toEqual(chosen);
});

test.each(['baseURL', 'name', 'api', 'format', 'prices', 'timeout', 'headers', 'omit'])(
  '%s is not set on top of a client',
  (field) => {
    expect(() => modelSettings(one, { [field]: 'x' })).toThrow(`model.${field} is set on top of the client scripted`);
  },
);

test('a layer that says nothing changes nothing, wherever it stands', () => {
  const layer = fc.record(
    { name: fc.string(), baseURL: fc.webUrl(), temperature: fc.option(fc.double()), maxTokens: fc.nat() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(layer), fc.nat(5), (layers, at) => {
      expect(modelSettings(...layers.toSpliced(at, 0, {}))).toEqual(modelSettings(...layers));
    }),
  );
});

test.each<[boolean, unknown]>([
  [true, one],
  [false, OPENAI],
  [false, { name: 'm', complete: true }],
  [false, { complete: one.complete }],
  [false, null],
  [false, 'scripted'],
])('%j: what has a name and can complete is a client', (is, value) => {
  expect(isModelClient(value)).toBe(is);
});

describe('the key', () => {
  const baseURL = 'http://127.0.0.1:8080/v1';
  test.each<[string, object, NodeJS.ProcessEnv, string | undefined]>([
    ['none', {}, {}, undefined],
    ["OpenAI's own, for OpenAI", {}, { OPENAI_API_KEY: 'o' }, 'o'],
    ["OpenAI's own, for another server", { baseURL }, { OPENAI_API_KEY: 'o' }, undefined],
    ['ours, for OpenAI', {}, { OPENAI_API_KEY: 'o', PLANWRIGHT_MODEL_KEY: 'p' }, 'p'],
    ['ours, for another server', { baseURL }, { OPENAI_API_KEY: 'o', PLANWRIGHT_MODEL_KEY: 'p' }, 'p'],
    ['ours that is blank', {}, { OPENAI_API_KEY: 'o', PLANWRIGHT_MODEL_KEY: '' }, 'o'],
    ['two that are blank', {}, { OPENAI_API_KEY: '', PLANWRIGHT_MODEL_KEY: '' }, undefined],
  ])('%s', (_, settings, environment, key) => {
    expect(modelKey(settings, environment)).toBe(key);
  });
});

test('the settings of a server reach its wire, with secrets of the environment', async () => {
  vi.stubEnv('OWN_SERVER_KEY', 'azure-0123456789');
  const server = await startModelServer([{ events: chatEvents(['yes']) }]);
  const asked = openModels({
    model: {
      ...{ name: 'small', baseURL: server.baseURL, reasoningEffort: 'low', maxTokens: 9 },
      ...{ headers: { 'api-key': { env: 'OWN_SERVER_KEY' } }, query: { 'api-version': '1' }, extraBody: { seed: 7 } },
      ...{ tokensName: 'max_completion_tokens', omit: ['stream_options'] },
    },
  })!.modelOf();
  await asked.client.complete({ messages: [{ role: 'user', content: 'Say yes.' }], ...asked.request });
  expect(server.asked[0]).toMatchObject({
    path: '/v1/chat/completions?api-version=1',
    headers: { 'api-key': 'azure-0123456789' },
  });
  expect(server.asked[0]?.body).toEqual({
    ...{ model: 'small', messages: [{ role: 'user', content: 'Say yes.' }], stream: true },
    ...{ max_completion_tokens: 9, reasoning_effort: 'low', seed: 7 },
  });
});

describe('a value that the environment has', () => {
  const settings: ServerSettings = {
    ...LOCAL,
    headers: { a: '1', 'api-key': { env: 'OWN' } },
    query: { k: { env: 'OWN' } },
  };

  test('is a secret of the client', () => {
    expect(withSecrets(settings, { OWN: 'abc' })).toEqual({
      ...LOCAL,
      headers: { a: '1', 'api-key': { secret: 'abc' } },
      query: { k: { secret: 'abc' } },
    });
    expect(withSecrets(LOCAL, {})).toEqual(LOCAL);
  });

  test.each([{}, { OWN: '' }])('is named with its variable where there is none: %j', (environment) => {
    expect(() => withSecrets(settings, environment)).toThrow('model.headers.api-key: the environment has no OWN');
  });
});
