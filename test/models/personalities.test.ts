/** The request of a project to servers that take it in their own ways, and their answers. */

import { describe, expect, test } from 'vitest';
import { openAIClient, type ModelRequest, type OpenAISettings } from '../../src/models/index.ts';
import { startModelServer } from '../support/model-server.ts';
import { answerOf, SERVERS, type ServerKind } from '../support/personalities.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const x = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'], additionalProperties: false };
const ASK: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }], temperature: 0, maxTokens: 100 };
const VALUE: ModelRequest = { ...ASK, format: { name: 'count', schema } };
const CALL: ModelRequest = {
  ...ASK,
  tools: [{ name: 'find', description: 'Finds.', parameters: x }],
  ...{ toolChoice: 'required', parallelToolCalls: false },
};

async function start(kind: ServerKind, more: Partial<OpenAISettings> = {}) {
  const server = await startModelServer((asked) => answerOf(kind, asked));
  const settings = { name: 'tiny', api: 'chat', format: 'json_schema', ...kind.settings, ...more } as const;
  const client = openAIClient({ ...settings, baseURL: server.baseURL });
  const notes: string[] = [];
  const ask = (request: ModelRequest) => client.complete(request, { onNote: (note) => notes.push(note) });
  return { server, notes, ask };
}

describe.each(SERVERS)('$name', (kind) => {
  test('is asked until it takes a value and a call, and then at once', async () => {
    const { server, notes, ask } = await start(kind);
    const usage = kind.usage ?? { inputTokens: 10, outputTokens: 5, calls: 1 };
    for (const round of ['first', 'again']) {
      const before = server.asked.length;
      expect(await ask(VALUE)).toMatchObject({ value: { n: 3 }, finish: 'stop', usage });
      expect(await ask(CALL)).toMatchObject({
        finish: 'tool-calls',
        toolCalls: [{ name: 'find', arguments: '{"x":1}' }],
        usage,
      });
      if (round === 'again') expect(server.asked.length - before).toBe(2);
    }
    // Each line of a config that makes it lasting is told once.
    const lines = notes.join('\n');
    for (const [setting, value] of Object.entries(kind.lasting ?? {})) {
      for (const one of [value as string | string[]].flat())
        expect(lines).toMatch(new RegExp(`${setting}: .*'${one}'`));
    }
    expect(notes.length).toBeLessThanOrEqual(2);
  });

  test('refuses nothing with the settings that were named', async () => {
    const { server, ask, notes } = await start(kind, kind.lasting);
    await ask(VALUE);
    await ask(CALL);
    expect(server.asked).toHaveLength(2);
    expect(notes.filter((note) => note.includes('does not take'))).toEqual([]);
  });
});
