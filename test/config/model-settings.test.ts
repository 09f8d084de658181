/** Which model is asked, of whatever the layers say, and which key its server is sent. */

import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  isModelClient,
  modelKey,
  modelSettings,
  type ChosenModel,
  type ModelLayer,
  type ServerSettings,
} from '../../src/edge/config/index.ts';
import type { ModelClient } from '../../src/model/index.ts';

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
const cold = { temperature: 0 };
/** As plain JavaScript may have it. */
const JS: object = { temperature: undefined, timeout: { totalMs: undefined } };
const prices = { large: { input: 2, output: 8 } };

test.each<[string, readonly ModelLayer[], ChosenModel | undefined]>([
  ['nothing at all', [], undefined],
  ['nothing, with settings on top that name no model', [undefined, { temperature: 1 }], undefined],
  ['a name alone', [{ name: 'large' }], { client: OPENAI, request: cold }],
  ['a server of its own', [{ name: 'small', baseURL: LOCAL.baseURL }], { client: LOCAL, request: cold }],
  [
    'what a server of its own can',
    [{ name: 'small', baseURL: LOCAL.baseURL, api: 'responses', format: 'none' }],
    { client: { ...LOCAL, api: 'responses', format: 'none' }, request: cold },
  ],
  [
    'a server of its own on top',
    [{ name: 'large' }, { name: 'small', baseURL: LOCAL.baseURL }],
    { client: LOCAL, request: cold },
  ],
  [
    'what is asked, on top',
    [{ name: 'large', temperature: 1, maxTokens: 100 }, { maxTokens: 50 }],
    { client: OPENAI, request: { temperature: 1, maxTokens: 50 } },
  ],
  ['no temperature', [{ name: 'large', temperature: null }], { client: OPENAI, request: {} }],
  [
    'no temperature, on top',
    [{ name: 'large', temperature: 1 }, { temperature: null }],
    { client: OPENAI, request: {} },
  ],
  [
    'a temperature on top of none',
    [{ name: 'large', temperature: null }, { temperature: 1 }],
    { client: OPENAI, request: { temperature: 1 } },
  ],
  [
    'what is there and undefined, on top',
    [{ name: 'large', temperature: 1 }, JS],
    { client: OPENAI, request: { temperature: 1 } },
  ],
  [
    'prices of several models',
    [
      { name: 'large', prices },
      { name: 'small', prices: { small: { input: 1, output: 1 } } },
    ],
    {
      client: { ...OPENAI, name: 'small', prices: { ...prices, small: { input: 1, output: 1 } } },
      request: cold,
    },
  ],
  [
    'timeouts by field',
    [{ name: 'large', timeout: { totalMs: 9, idleMs: 3 } }, { timeout: { idleMs: 5 } }],
    { client: { ...OPENAI, timeout: { totalMs: 9, idleMs: 5 } }, request: cold },
  ],
  ['a client', [one], { client: one, request: cold }],
  ['a client, asked otherwise', [one, { temperature: 1 }], { client: one, request: { temperature: 1 } }],
  [
    'a client on top of settings',
    [{ name: 'large', maxTokens: 9 }, one],
    { client: one, request: { ...cold, maxTokens: 9 } },
  ],
  ['a client on top of a client', [one, other], { client: other, request: cold }],
])('%s', (_, layers, chosen) => {
  expect(modelSettings(...layers)).toEqual(chosen);
});

test.each(['baseURL', 'name', 'api', 'format', 'prices', 'timeout'])('%s is not set on top of a client', (field) => {
  expect(() => modelSettings(one, { [field]: 'x' })).toThrow(`model.${field} is set on top of the client scripted`);
});

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
