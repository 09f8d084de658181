/** A row of the operations is a tool of a host: its parameters, its marks and its answer come from the row alone. */

import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { openHostSession } from '../../src/mcp/host-session.ts';
import { addRowTools } from '../../src/mcp/serve.ts';
import { describeRows, type Plans } from '../../src/operations/index.ts';
import { operation } from '../../src/operations/operation.ts';
import { SETTINGS } from './hosts.ts';

const added = operation({
  command: {
    words: 'weigh <file>',
    from: { document: 'source-fields', only: 'own-runs' },
  },
  host: { fields: ['document', 'workflowId', 'most', 'deep', 'scale'], hides: ['long'] },
  does: 'Weighs a plan.',
  readOnly: false,
  destructive: true,
  input: (z) =>
    z.object({
      document: z.unknown().meta({ type: ['object', 'string'] }),
      workflowId: z.string().optional(),
      most: z.int().positive().default(3).describe('at most so many'),
      deep: z.boolean().optional(),
      scale: z.enum(['fine', 'coarse']).optional(),
      only: z.array(z.string()).optional(),
      secret: z.string().optional(),
    }),
  run: async () => ({}),
});

async function hostOfAdded() {
  const plans = { project: async () => undefined, typed: String } as unknown as Plans;
  const perform = vi.fn(async (_name: string, input: object) => ({ grams: 5, long: 'x', given: input }));
  const server = new McpServer({ name: 't', version: '0' });
  const room = { ...openHostSession(plans, SETTINGS), perform: perform as never };
  await addRowTools(server, room, await describeRows({ weigh: async () => added } as object));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'h', version: '1' });
  await Promise.all([server.connect(near), client.connect(far)]);
  return { perform, client, call: (sent: object) => client.callTool({ name: 'weigh', arguments: { ...sent } }) };
}

test('its parameters are typed, and its marks are those of the row', async () => {
  const { client } = await hostOfAdded();
  const { tools } = await client.listTools();
  expect(tools).toMatchObject([
    {
      name: 'weigh',
      description: 'Weighs a plan.',
      annotations: { readOnlyHint: false, destructiveHint: true },
      inputSchema: {
        properties: {
          plan: { anyOf: [{ type: 'object' }, { type: 'string' }] },
          most: { type: 'integer', description: 'at most so many' },
          deep: { type: 'boolean' },
          scale: { enum: ['fine', 'coarse'] },
        },
        required: ['plan'],
        additionalProperties: false,
      },
    },
  ]);
});

test('what a host writes as text or null is understood, what is not its own is refused or filled in', async () => {
  const { call, perform } = await hostOfAdded();
  const plan = { goal: 'g' };
  for (const sent of [{ plan }, { document: plan }]) {
    const answer = await call({ ...sent, workflowId: null, most: '5', deep: 'true', scale: null });
    expect(answer.structuredContent).toEqual({ grams: 5, given: expect.anything() as object });
    expect(perform).toHaveBeenLastCalledWith(
      'weigh',
      { document: plan, most: 5, deep: true, only: [] },
      expect.anything(),
    );
  }
  expect(await call({ plan, secret: 's' })).toMatchObject({ isError: true });
  expect(await call({ plan, workflowId: 'x'.repeat(300) })).toMatchObject({
    structuredContent: { error: { code: 'NO_RUN' } },
  });
});
