/**
 * A host that follows SKILL.md to the letter, from an empty folder to a finished run: the built program's own files, worker
 * and MCP server. It has no elicitation and no tasks, so its person answers through `answer_plan`.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { CLI, start, type Started } from '../cli/planwright.ts';
import { textsOf } from '../support/pages.ts';
import { fileFolder } from '../support/folders.ts';

interface Item {
  readonly kind: string;
  readonly key: string;
  readonly text: string;
}
interface Answer {
  readonly workflowId: string;
  readonly outcome?: string;
  readonly waiting?: readonly Item[];
  readonly digest?: string;
  readonly error?: { readonly issues: readonly { readonly path: string; readonly message: string; got?: string }[] };
}

const folder = fileFolder('skill-host');
const env = { TEMPORAL_ADDRESS: inject('address') };
const client = new Client({ name: 'literal', version: '1' });
let worker: Started;
let skill: string;

beforeAll(async () => {
  const made = await start(['init', '--skill', '.claude/skills'], { cwd: folder }).ended;
  expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
  skill = readFileSync(join(folder, '.claude/skills/planwright/SKILL.md'), 'utf8');
  worker = start(['worker'], { cwd: folder, env });
  await worker.said(/worker ready/);
  // The entry of the README, with this program in place of npx.
  const { mcpServers } = JSON.parse(textsOf('README.md', 'json')[0]!) as {
    readonly mcpServers: { readonly planwright: { readonly args: readonly string[] } };
  };
  const { args } = mcpServers.planwright;
  const words = args.slice(args.indexOf('planwright') + 1).map((word) => word.replace('/projects/lab', folder));
  await client.connect(
    new StdioClientTransport({
      ...{ command: process.execPath, args: [CLI, ...words], cwd: folder, stderr: 'ignore' },
      env: { ...(process.env as Record<string, string>), ...env },
    }),
  );
});
afterAll(async () => {
  await client.close();
  worker.child.kill('SIGTERM');
  await worker.ended;
});

async function call(name: string, args: object): Promise<Answer> {
  const { structuredContent } = await client.callTool({ name, arguments: { ...args } });
  return structuredContent as Answer;
}

test('every tool that its numbered steps name is there, and no other is needed', async () => {
  const { tools } = await client.listTools();
  const steps = [...skill.matchAll(/^\d\. ([^]*?)(?=^\d\. |\n## )/gm)].map(([, text = '']) => text);
  const named = steps.flatMap((text) => [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name));
  const called = named.filter((name) => tools.some((tool) => tool.name === name));
  expect([...new Set(called)]).toEqual([
    ...['capabilities', 'compile', 'run_plan', 'answer_plan', 'wait_plan', 'result', 'why'],
  ]);
});

test('from an empty folder its first plan is mended, approved by a person, and done', async () => {
  const example = /```json\n([^]*?)```/.exec(skill)?.[1] ?? '';
  // 1, 2: it names a capability that the list lacks, as models do.
  const listed = JSON.stringify(await call('capabilities', {}));
  let plan = example.replace('"records.write"', '"records.writer"');
  expect([listed.includes('"records.write"'), listed.includes('"records.writer"')]).toEqual([true, false]);
  // 3: it mends what each issue says, by names from the list and files of its own.
  const wrong = await call('compile', { plan });
  expect(wrong.error?.issues).toMatchObject([{ path: '$.plan.capability', got: 'records.writer' }]);
  plan = plan.replace('records.writer', /Did you mean "(.*?)"/.exec(wrong.error?.issues[0]?.message ?? '')?.[1] ?? '');
  const without = await call('compile', { plan });
  for (const { message } of without.error?.issues ?? []) {
    const [, file = ''] = /^"(.*?)": there is no such file/.exec(message) ?? [];
    writeFileSync(join(folder, file), file === 'ordered.txt' ? 'beaker\nflask\n' : 'flask\n');
  }
  expect(await call('compile', { plan })).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  // 4, 5: the person sees the item as it is written.
  const { workflowId, waiting = [] } = await call('run_plan', { plan });
  expect(waiting).toMatchObject([
    { kind: 'approval', text: expect.stringContaining('What was ordered and has not come') as string },
  ]);
  let state = await call('answer_plan', { workflowId, key: waiting[0]?.key, decision: 'approve' });
  // 6
  while (state.outcome === undefined) state = await call('wait_plan', { workflowId });
  expect(state).toMatchObject({ outcome: 'done' });
  expect(JSON.stringify(await call('result', { workflowId }))).toContain('missing.tsv');
  expect(readFileSync(join(folder, 'missing.tsv'), 'utf8')).toContain('beaker');
});
