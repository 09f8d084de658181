/**
 * The client against llama.cpp's server with SmolLM2-135M: what a real model does, and a server that keeps some formats
 * and passes over others. `npm run test:model` sets both up and starts them.
 */

import { describe, expect, test } from 'vitest';
import { MODEL_APIS } from '../../src/protocol/index.ts';
import { openAIClient, type ModelRequest, type OpenAISettings } from '../../src/models/index.ts';

const baseURL = process.env['PLANWRIGHT_MODEL_URL'];
if (baseURL === undefined) throw new Error('PLANWRIGHT_MODEL_URL is not set; run these tests with: npm run test:model');

const clientOf = (api: OpenAISettings['api'], format: OpenAISettings['format'] = 'json_schema') =>
  openAIClient({ baseURL, name: 'SmolLM2-135M', api, format });
const ask = (content: string): ModelRequest => ({
  messages: [
    { role: 'system', content: 'You answer in one short sentence.' },
    { role: 'user', content },
  ],
  temperature: 0,
  maxTokens: 60,
});
const GENE = {
  name: 'gene',
  schema: {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 20 }, chromosome: { type: 'integer' } },
    required: ['name', 'chromosome'],
    additionalProperties: false,
  },
};

describe.each(MODEL_APIS)('with the api %s', (api) => {
  test('a plain reply comes in pieces, with its usage', async () => {
    const pieces: string[] = [];
    let beats = 0;
    const reply = await clientOf(api).complete(ask('What is a gene?'), {
      onText: (piece) => pieces.push(piece),
      onBeat: () => beats++,
    });
    expect(reply.text.trim()).not.toBe('');
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(reply.text);
    expect(beats).toBeGreaterThanOrEqual(pieces.length);
    expect(reply.usage.inputTokens).toBeGreaterThan(5);
    expect(reply.usage.outputTokens).toBeGreaterThan(1);
    expect(reply.usage).not.toHaveProperty('reckoned');
  });

  test('a call that is not wanted any more ends', async () => {
    const stop = new AbortController();
    const asked = clientOf(api).complete(
      { ...ask('Tell me a long story.'), maxTokens: 2000 },
      { signal: stop.signal, onText: () => stop.abort() },
    );
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' });
  });

  test('a prompt that is longer than the model reads is told as such', async () => {
    const asked = clientOf(api).complete(ask('gene '.repeat(20_000)));
    await expect(asked).rejects.toMatchObject({ kind: 'context-too-long', severity: 'CRITICAL' });
  });
});

test('chat completions keep a schema', async () => {
  const reply = await clientOf('chat').complete({ ...ask('Name a gene and its chromosome.'), format: GENE });
  const { name, chromosome } = reply.value as { name: unknown; chromosome: unknown };
  expect([typeof name, typeof chromosome]).toEqual(['string', 'number']);
  expect(reply.finish).toBe('stop');
});

test.each(MODEL_APIS)('a reply that is cut off is told as such, with what it has used: %s', async (api) => {
  const asked = { ...ask('Name a gene and its chromosome.'), format: GENE, maxTokens: 5 };
  await expect(clientOf(api).complete(asked)).rejects.toMatchObject({
    kind: 'cut-off',
    usage: { outputTokens: 5, calls: 1 },
  });
  const { format: _, ...plain } = asked;
  expect(await clientOf(api).complete(plain)).toMatchObject({ finish: 'length', usage: { outputTokens: 5 } });
});

test('a format that the server passes over is told as not kept: the Responses API of llama.cpp', async () => {
  const asked = clientOf('responses').complete({ ...ask('What is a gene?'), format: GENE, maxTokens: 400 });
  await expect(asked).rejects.toMatchObject({ kind: 'format-not-kept', usage: { calls: 1 } });
});
