/** Models, planner and agents in a config: what is taken, and what is refused with its place. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineCapability } from '../../src/capabilities/index.ts';
import { checkConfig } from '../../src/config/index.ts';
import type { ModelClient } from '../../src/models/index.ts';

const check = (over: object) => checkConfig({ capabilities: [], ...over }, '/project/planwright.config.ts');

/** A double of a model: it is never asked. */
const client: ModelClient = {
  name: 'scripted',
  complete: () => Promise.reject(new Error('a double that is not to be asked')),
};
const look = defineCapability({
  ...{ name: 'look', description: 'Looks.', input: z.object({}), output: 'text', effect: 'read' },
  execute: () => '',
} as const);
const agent = defineAgent({ name: 'a', description: 'Looks.', instructions: 'Look.', capabilities: [look] });

test('without any there is no model, no agent, and a planner that asks for nodes', () => {
  const config = check({});
  expect(config).toMatchObject({ agents: [], planner: { format: 'nodes' } });
  expect(config).not.toHaveProperty('model');
  expect(config.planner).not.toHaveProperty('model');
});

test('what is written is taken as it is', () => {
  const model = {
    ...{ name: 'small', baseURL: 'http://127.0.0.1:8080/v1', api: 'chat', format: 'json_object' },
    ...{ temperature: null, maxTokens: 100, timeout: { totalMs: 60_000, idleMs: 5000 } },
    prices: { small: { input: 0, output: 0.5 }, large: { input: 2, cachedInput: 0.5, output: 8 } },
  };
  const write = () => 'Plan.';
  const planner = { model: { name: 'large', temperature: 1 }, prompts: { write, route: 'Route.' }, format: 'xml' };
  expect(check({ model, planner, agents: [agent], tasks: { default: 'a' } })).toMatchObject({
    ...{ model, planner, agents: [agent], defaultExecutor: 'a' },
  });
});

test('a client stands where settings may, as the object that it is', () => {
  const config = check({ model: client, planner: { model: client } });
  expect(config.model).toBe(client);
  expect(config.planner.model).toBe(client);
  class Client {
    readonly name = 'own';
    complete = client.complete;
  }
  const own = new Client();
  expect(check({ model: own }).model).toBe(own);
});

describe('is refused with its place and with what was expected', () => {
  const m = (settings: object) => ({ model: { name: 'm', ...settings } });
  test.each<[string, object, RegExp]>([
    ['a model that is a text', { model: 'large' }, /config\.model: .*expected object/],
    ['a model without a name', { model: {} }, /config\.model\.name: expected the name of a model/],
    ['a blank name', { model: { name: ' ' } }, /config\.model\.name: expected the name of a model/],
    ['an unknown key', m({ url: '' }), /config\.model: there is no url; known are name, baseURL, api/],
    ['an address that is none', m({ baseURL: 'localhost' }), /config\.model\.baseURL: expected http/],
    ['an address of a file', m({ baseURL: 'file:///m' }), /config\.model\.baseURL: expected http/],
    ['an unknown api', m({ api: 'completions' }), /config\.model\.api: expected responses or chat/],
    ['an unknown format', m({ format: 'json' }), /config\.model\.format: expected one of json_schema/],
    ['a price without output', m({ prices: { m: { input: 1 } } }), /config\.model\.prices\.m\.output: expe/],
    ['a price below 0', m({ prices: { m: { input: -1, output: 1 } } }), /prices\.m\.input: expected a numb/],
    [
      'a budget of 0',
      { budget: { tokens: 0 } },
      /config\.budget\.tokens: expected a whole number .* from 1, got number 0/,
    ],
    ['a budget below 0', { budget: { money: -2 } }, /config\.budget\.money: expected a number above 0/],
    [
      'a budget in a currency',
      { budget: { money: 1, currency: 'XYZ' } },
      /config\.budget\.currency: there is no such bound; known are tokens, money, steps, onEnd/,
    ],
    [
      'a budget of money for a model that has no price among those that have',
      { model: { name: 'm', prices: { other: { input: 1, output: 1 } } }, budget: { money: 1 } },
      /config\.budget\.money: config\.model is m, which has no price; add it to config\.model\.prices/,
    ],
    ['a temperature of 3', m({ temperature: 3 }), /config\.model\.temperature: expected a number from 0 to 2/],
    ['half a token', m({ maxTokens: 0.5 }), /config\.model\.maxTokens: expected a whole number from 1/],
    ['an effort in a number', m({ reasoningEffort: 3 }), /reasoningEffort: expected a word of the server/],
    ['headers in a list', m({ headers: ['a'] }), /config\.model\.headers: expected an object/],
    ['a header of the request', m({ headers: { Host: 'x' } }), /headers: Host is set by the request itself/],
    ['a header that is none', m({ headers: { 'a b': 'x' } }), /headers: .*a b.* is no name/],
    ['a header of two lines', m({ headers: { a: 'x\ny: z' } }), /headers: the value of a does not fit/],
    ['a header in a number', m({ headers: { a: 1 } }), /headers: the value of a does not fit; expected a text/],
    ['a variable that is none', m({ query: { a: { env: 'a b' } } }), /query: the value of a does not fit/],
    ['the model in the body', m({ extraBody: { model: 'x' } }), /extraBody: may not have "model".*model\.name/],
    [
      'the messages in the body',
      m({ extraBody: { messages: [] } }),
      /extraBody: may not have "messages".*take them out/,
    ],
    ['a body in a text', m({ extraBody: 'seed=1' }), /extraBody: expected an object/],
    ['what cannot be left out', m({ omit: ['messages'] }), /omit\.0: expected a list of these: temperature, top_p/],
    ['a timeout in words', m({ timeout: '90s' }), /config\.model\.timeout: .*expected object/],
    ['a call of hours', m({ timeout: { totalMs: 1e7 } }), /model\.timeout\.totalMs: .*at most 3600000/],
    ['a long silence', m({ timeout: { idleMs: 290_001 } }), /timeout\.idleMs: .*at most 290000/],
    ['an unknown form', { planner: { format: 'json' } }, /config\.planner\.format: expected nodes or xml/],
    [
      'a blank prompt',
      { planner: { prompts: { write: ' ' } } },
      /config\.planner\.prompts\.write: expected a text that is n/,
    ],
    [
      'what is wrong on top',
      { model: { name: 'm' }, planner: { model: { api: 'x' } } },
      /config\.planner\.model\.api: expected r/,
    ],
    [
      'settings on top of nothing',
      { planner: { model: { maxTokens: 9 } } },
      /config\.planner\.model\.name: expected .*no config\.m/,
    ],
    [
      'a server on top of a client',
      { model: client, planner: { model: { name: 'm' } } },
      /config\.planner\.model\.name: .*scripted/,
    ],
    [
      'an agent with another model than a client',
      { model: client, agents: [agent, { ...agent, model: { name: 'm' } }] },
      /config\.agents\.1\.model\.name: config\.model is the client scripted/,
    ],
    ['what is no agent', { agents: [look] }, /config\.agents\.0: expected an agent made by defineAgent/],
    [
      'an agent without limits',
      { agents: [agent, { ...agent, limits: {} }] },
      /config\.agents\.1: expected an agent made/,
    ],
    [
      'an agent without capabilities',
      { agents: [{ ...agent, capabilities: look }] },
      /config\.agents\.0: expected an agent/,
    ],
    ['nothing for an agent', { agents: [null] }, /config\.agents\.0: expected an agent/],
  ])('%s', (_, config, message) => {
    expect(() => check(config)).toThrow(message);
    expect(() => check(config)).toThrow('/project/planwright.config.ts');
  });

  test('everything at once', () => {
    const model = { name: '', api: 'x', prices: { m: {} } };
    expect(() => check({ model, planner: { format: 'x' }, agents: [1] })).toThrow(
      /config\.agents\.0[^]*config\.model\.name[^]*config\.model\.api[^]*prices\.m\.input[^]*config\.planner\.format/,
    );
  });

  const SECRET = 'sk-plain-text-of-a-key';
  test.each<[string, object]>([
    ['config.model', m({ apiKey: SECRET })],
    ['config.model', m({ api_key: SECRET, tokens: 1 })],
    ['config.model', m({ token: SECRET })],
    ['config.planner', { planner: { key: SECRET } }],
    ['config.planner.model', { model: { name: 'm' }, planner: { model: { authorization: SECRET } } }],
    ['config', { OPENAI_API_KEY: SECRET }],
  ])('an API key in %s, which is not shown: %j', (place, config) => {
    expect(() => check(config)).toThrow(`${place}: an API key does not belong into a config`);
    expect(() => check(config)).toThrow(expect.not.stringContaining(SECRET) as Error);
  });

  test.each([
    ['headers', { 'api-key': SECRET }, 'the value of api-key would stand in the config'],
    ['headers', { 'x-tenant': SECRET }, "give { env: 'NAME' } in its place"],
    ['query', { 'subscription-key': SECRET }, 'the value of subscription-key would stand in the config'],
    ['extraBody', { api_key: SECRET }, 'api_key: an API key does not belong into a config'],
  ])('a secret in %s, which is not shown', (field, value, message) => {
    expect(() => check({ model: { name: 'm', [field]: value } })).toThrow(message);
    expect(() => check({ model: { name: 'm', [field]: value } })).toThrow(expect.not.stringContaining(SECRET) as Error);
  });

  test('a secret by its variable is taken, and so is a key that is none', () => {
    const model = { name: 'm', headers: { 'api-key': { env: 'AZURE_KEY' } }, extraBody: { prompt_cache_key: 'plans' } };
    expect(check({ model }).model).toEqual(model);
  });

  test.each([
    'http://user@host/v1',
    `http://u:${SECRET}@host/v1`,
    `http://host/v1?key=${SECRET}`,
    `http://host/#${SECRET}`,
  ])('a secret in the address %s, which is not shown', (baseURL) => {
    expect(() => check({ model: { name: 'm', baseURL } })).toThrow(/config\.model\.baseURL: .*without user, password/);
    expect(() => check({ model: { name: 'm', baseURL } })).toThrow(expect.not.stringContaining(SECRET) as Error);
  });
});
