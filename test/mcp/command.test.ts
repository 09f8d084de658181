/** `planwright mcp` as a process, as a host starts it: the built program, the official client, and no server of Temporal. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/source-files.ts';
import { fileFolder } from '../support/folders.ts';

const folder = fileFolder('mcp');
let client: Client;
beforeAll(async () => {
  await writeFile(join(folder, 'planwright.config.mjs'), CONFIG);
  client = new Client({ name: 'official', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(ROOT, 'dist/cli/main.js'), 'mcp', '--by', 'operator'],
      cwd: folder,
      stderr: 'ignore',
    }),
  );
});
afterAll(async () => {
  await client.close();
});

/** It writes to stdout, where the protocol goes. */
const CONFIG = `
console.log('a line of the config');
process.stdout.write('and another');
export default {};
`;

const DOCUMENT = { goal: 'Say', plan: { type: 'task', task: 'Say hello', capability: 'respond' } };

test('it lists its tools: those that read are marked so, and a run is not', async () => {
  const { tools } = await client.listTools();
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
  expect(tools.map(({ name }) => name).filter((name) => !reads.includes(name))).toEqual([
    'run_plan',
    'wait_plan',
    'answer_plan',
    'undo',
  ]);
  expect(reads).toEqual(['capabilities', 'compile', 'grants', 'list', 'result', 'status', 'why']);
  for (const { inputSchema } of tools) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    // A host writes a parameter without a type as text.
    for (const [name, schema] of Object.entries(inputSchema.properties ?? {}))
      expect([name, schema]).toEqual([name, expect.toSatisfy((one: object) => 'type' in one || 'anyOf' in one)]);
  }
});

test('a config that prints breaks nothing', async () => {
  const { structuredContent } = await client.callTool({ name: 'capabilities', arguments: {} });
  expect(JSON.stringify(structuredContent)).toContain('respond');
});

test('it compiles without a server, and tells every issue of a plan', async () => {
  const compiled = await client.callTool({ name: 'compile', arguments: { plan: DOCUMENT } });
  expect(compiled.structuredContent).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect(JSON.stringify(compiled.structuredContent).length).toBeLessThan(800);
  const wrong = { goal: 'x', plan: { task: 'a', capability: 'none' } };
  const refused = await client.callTool({ name: 'compile', arguments: { plan: wrong } });
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'PLAN_INVALID', issues: [{}] } },
  });
  for (const known of ['plan', 'document']) {
    const told = await client.callTool({ name: 'compile', arguments: { [known]: JSON.stringify(DOCUMENT) } });
    expect(told.structuredContent).toMatchObject({ sentence: expect.stringContaining('"Say hello"') as string });
  }
});

test.each([
  ['run_plan', {}, 'give a goal, a plan, or both'],
  ['run_plan', { plan: DOCUMENT, approve: true }, 'approve'],
  ['compile', { plan: DOCUMENT, limits: { nodes: 1e9 } }, 'limits'],
  ['status', { workflowId: 3 }, 'workflowId'],
])('%s refuses %j and names what does not fit', async (name, args, named) => {
  const { isError, content } = await client.callTool({ name, arguments: args });
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining(named)]);
});
