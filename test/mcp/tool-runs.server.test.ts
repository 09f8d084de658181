/** Runs whose nodes are tools of MCP servers: approved, carried out once, held when the tool has changed, and unsure when its server died. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMcpTools, type McpServerSettings } from '../../src/capabilities/builtin/index.ts';
import type { NodesPage, NodeView } from '../../src/protocol/index.ts';
import { ROOT } from '../support/source-files.ts';
import { fileFolder } from '../support/folders.ts';
import { ownRig } from '../support/rig.ts';

const folder = fileFolder('tool-runs');

async function openWith(mode: string, read: readonly string[] = [], verify?: McpServerSettings['verify']) {
  const ledger = join(folder, mode);
  writeFileSync(ledger, '');
  const args = [join(ROOT, 'test/fixtures/mcp/tool-server.mjs'), mode, ledger];
  const tools = await openMcpTools({ t: { command: process.execPath, args, read, ...(verify && { verify }) } });
  onTestFinished(() => tools.close());
  const rig = await ownRig({ capabilities: tools.capabilities });
  const calls = () =>
    readFileSync(ledger, 'utf8')
      .split('\n')
      .filter((line) => line.includes('{'));
  return { rig, ledger, calls };
}

const tool = (name: string, text: string, context_key: string) => ({
  ...{ context_key, capability: `mcp.t.${name}`, task_objective: `${name} ${text}`, parameters: { text } },
});

/** The tool says of itself that it only reads. */
const WRITE = { goal: 'Write', steps: [tool('count', 'hello', 'letters'), tool('write', 'hello', 'written')] };

test('a tool that lies about being read-only waits for approval, and is carried out once', async () => {
  const { rig, calls } = await openWith('honest', ['count']);
  const run = await rig.start({ plan: WRITE, options: { approval: 'effects' } });
  const { text, asks } = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(`${text} ${asks}`).toMatch(/one node of the plan.* 1 at-most-once: written/);
  await expect.poll(calls).toEqual(['count {"text":"hello"}']);
  await rig.approve(run);
  const { results } = (await run.result()) as { readonly results: Readonly<Record<string, { readonly ref: string }>> };
  expect(calls()).toEqual(['count {"text":"hello"}', 'write {"text":"hello"}']);
  expect(await rig.read(results['letters']?.ref)).toEqual({ kind: 'value', value: { letters: 5 } });
  expect(await rig.read(results['written']?.ref)).toEqual({ kind: 'text', text: 'hello' });
});

test('a tool that changes between approval and run is held, and is not called', async () => {
  const { rig, ledger, calls } = await openWith('changes');
  const run = await rig.start({ plan: { goal: 'Write', steps: [tool('write', 'a', 'written')] } });
  await rig.opened(run, ({ kind }) => kind === 'approval');
  writeFileSync(`${ledger}.changed`, '');
  await rig.approve(run);
  const first = async (): Promise<NodeView | undefined> => (await run.query<NodesPage>('nodes')).nodes[0];
  await expect.poll(async () => (await first())?.waits ?? '').toContain('mcp.t.write@');
  expect(calls()).toEqual([]);
  await run.cancel();
  await run.result().catch(() => undefined);
});

test('a server that dies in the midst of an effect leaves it unsure, and nothing calls it again', async () => {
  const { rig, calls } = await openWith('dies');
  const run = await rig.startApproved({ plan: { goal: 'Write', steps: [tool('write', 'a', 'written')] } });
  const item = await rig.opened(run, ({ kind }) => kind === 'uncertain');
  expect(item.text).toContain('MCP server t did not answer write');
  expect(calls()).toEqual(['write {"text":"a"}']);
  await rig.say(run, 'control', {
    action: 'resolve',
    node: item.id,
    outcome: 'failed',
    digest: item.digest,
    by: 'operator',
  });
  await run.result().catch(() => undefined);
});

const VERIFY = {
  write: {
    tool: 'find',
    arguments: { key: { from: 'idempotencyKey' } },
    match: {
      happened: { at: 'found.0.text', is: [{ from: 'arguments.text' }] },
      notHappened: { at: 'state', is: ['unknown'] },
      result: 'found.0.text',
    },
  },
} as const;

test.each<[string, string, string | undefined]>([
  ['has written', 'a', undefined],
  ['has not written', 'lost', 'it did not happen'],
])('a server that dies in the midst of an effect that it %s is asked by a tool that reads', async (_, text, asks) => {
  const { rig, calls } = await openWith('remembers', ['find'], VERIFY);
  const run = await rig.startApproved({ plan: { goal: 'Write', steps: [tool('write', text, 'written')] } });
  if (asks === undefined) {
    const { results } = (await run.result()) as {
      readonly results: Readonly<Record<string, { readonly ref: string }>>;
    };
    expect(await rig.read(results['written']?.ref)).toEqual({ kind: 'text', text });
    expect(JSON.stringify(await rig.trace(run, 'node'))).toMatch(
      /the probe of mcp\.t\.write@\w+ said at .*: it happened/,
    );
  } else {
    const item = await rig.opened(run, ({ kind }) => kind === 'uncertain');
    expect(item.text).toMatch(/did not answer write: .*; the probe of mcp\.t\.write@\w+ said at .*: it did not happen/);
    await run.terminate();
  }
  expect(calls().filter((line) => line.startsWith('write'))).toHaveLength(1);
});
