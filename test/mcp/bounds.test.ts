/** What a host and a server of tools may have at most, one beyond each. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import type { ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { checkConfig } from '../../src/config/index.ts';
import { openMcpTools } from '../../src/capabilities/builtin/index.ts';
import { checkError } from '../../src/capabilities/builtin/mcp/tool-result.ts';
import { readSchema, type WorkCapability } from '../../src/capabilities/index.ts';
import { createAnswers } from '../../src/mcp/answers.ts';
import { contentOf } from '../../src/mcp/content.ts';
import { createHandedOut } from '../../src/mcp/handed-out.ts';
import { hostOf, type Host } from '../../src/mcp/host.ts';
import { askedItems, formsFor } from '../../src/mcp/open-items.ts';
import { openRoom, type Room } from '../../src/mcp/room.ts';
import { serveMcp } from '../../src/mcp/index.ts';
import { taskOf } from '../../src/mcp/tasks.ts';
import { takeTurn } from '../../src/mcp/turn.ts';
import { itemKey, type KeyedItem, type Plans } from '../../src/operations/index.ts';
import type { OpenItem } from '../../src/protocol/index.ts';
import { toolsFor } from '../../src/planner/round/tools.ts';
import { ids } from '../support/capabilities.ts';
import { ROOT } from '../support/source-files.ts';
import { SETTINGS } from './hosts.ts';

const long = (length: number) => 'x'.repeat(length);
const never = () => new Promise<never>(() => {});
const plans = {
  project: () => Promise.resolve(undefined),
  run: never,
  typed: (command: string) => command,
} as never as Plans;

const items = (count: number): readonly KeyedItem[] =>
  Array.from({ length: count }, (_, at) => {
    const item: OpenItem = {
      ...{
        id: `q.${at}`,
        kind: 'question',
        workflowId: 'plan-1',
        digest: 'd'.repeat(64),
        revision: 1,
        text: `question ${at}`,
      },
      ...{ since: '2026-01-01T00:00:00.000Z', deadline: '2026-01-02T00:00:00.000Z', nodes: [], nodeCount: 0 },
      send: { name: 'answer', input: { value: 'ANSWER' } },
    };
    return { ...item, key: itemKey(item) };
  });

/** A room in which so many items are open, whatever is asked. */
function roomWith(open: readonly KeyedItem[]): Room {
  const perform = () =>
    Promise.resolve({ workflowId: 'plan-1', phase: 'running', open, counts: { succeeded: 0, reused: 0, total: 1 } });
  return { ...openRoom(plans, SETTINGS), perform: perform as never };
}

describe('a host', () => {
  const host: Host = { name: 'h', tasks: false, elicits: true, isLegacy: false };
  const context = { mcpReq: { signal: new AbortController().signal, _meta: undefined } } as never as ServerContext;

  test('is asked 20 items at once, and the others later', async () => {
    expect(await askedItems(roomWith(items(21)), items(21))).toHaveLength(20);
  });

  test('is told the commands of 5 items in the message of a task', async () => {
    const { statusMessage } = await taskOf(roomWith(items(7)), 'plan-1');
    expect(statusMessage?.match(/answer plan-1/g)).toHaveLength(5);
    expect(statusMessage).toContain('and 2 more');
  });

  test('is shown no plan that is another one than the approval is about', async () => {
    const [item] = items(1).map((one) => ({
      ...one,
      kind: 'approval' as const,
      send: { name: 'approve' as const, input: {} },
    }));
    const shown = (digest: string) =>
      ({ ...roomWith([]), perform: () => Promise.resolve({ digest, text: 'a plan' }) }) as never as Room;
    const asked = [{ key: 'k', item: item! }];
    expect(await formsFor(shown('e'.repeat(64)), asked)).toEqual([]);
    expect(JSON.stringify(await formsFor(shown('d'.repeat(64)), asked))).toContain('a plan');
  });

  test('asks its person 6 times in one call', async () => {
    const turn = { room: roomWith(items(1)), host, context };
    const state = { workflowId: 'plan-1', asked: [] };
    expect(await takeTurn(turn, { ...state, round: 5 })).toMatchObject({ resultType: 'input_required' });
    expect(await takeTurn(turn, { ...state, round: 6 })).toMatchObject({
      structuredContent: { waiting: [{ kind: 'question' }] },
    });
  });

  test('waits for a row as long as its bound, whatever that waits for', async () => {
    const room = openRoom(plans, SETTINGS, { callMs: 50, formMs: 50 });
    await expect(room.perform('status', { workflowId: 'plan-1' })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'status was not done after 0.05 s; nothing is undone by that',
    });
  });

  test('reads resources of 8 MiB', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const perform = () => Promise.resolve({ kind: 'text', text: long(8 * 2 ** 20) });
    const room = { ...openRoom(plans, { ...SETTINGS, anyRun: true }), perform: perform as never };
    const { ended } = serveMcp(room, { input, output, version: '0', note: () => {} });
    const client = new Client({ name: 'h', version: '1' });
    await client.connect(new StdioServerTransport(output, input));
    const uri = `planwright://results/plan-${'a'.repeat(32)}`;
    await expect(client.readResource({ uri })).rejects.toThrow(/a resource has at most 8388608/);
    await client.close();
    input.end();
    await ended;
  });

  test('is given no answer above the bound, and told where the whole is', () => {
    expect(contentOf({ text: long(99_900) }).isError).toBeUndefined();
    const large = contentOf({ text: long(100_001) }, 'see the resource');
    expect(large).toMatchObject({ isError: true, structuredContent: { error: { code: 'TOO_LARGE' } } });
    expect(JSON.stringify(large)).toContain('see the resource');
  });

  test('has at most 100 runs named to the server at once', async () => {
    const only = Array.from({ length: 101 }, (_, at) => `plan-${at}`);
    await expect(openRoom(plans, SETTINGS).perform('list', { only })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  test('has a name of 60 characters, on one line', () => {
    const server = {
      server: { getClientCapabilities: () => ({}), getClientVersion: () => ({ name: `a\n${long(61)}` }) },
    };
    const { name } = hostOf(server as never, { mcpReq: {} } as never);
    expect(name).toMatch(/^a\\u000a|^a x/);
    expect(name.length).toBeLessThanOrEqual(60);
  });

  test('is remembered for 10,000 items, and asked anew about older ones', () => {
    const answers = createAnswers();
    for (let at = 0; at <= 10_000; at++) answers.note(`key-${at}`, 'taken', 'run', 'text');
    expect([answers.askedAs('key-0'), answers.askedAs('key-1')]).toEqual(['key-0', undefined]);
  });

  test('is told 80 characters of an id that it made up', async () => {
    const handedOut = createHandedOut(plans, false);
    await expect(handedOut.check(long(251))).rejects.toThrow(new RegExp(`no run x{79}…;`));
  });
});

const folder = mkdtempSync(join(tmpdir(), 'planwright-bounds-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a server of tools', () => {
  async function withTools<T>(
    mode: string,
    work: (tools: readonly WorkCapability[], ledger: string) => Promise<T>,
    bounds = {},
  ) {
    const ledger = join(folder, mode);
    writeFileSync(ledger, '');
    const args = [join(ROOT, 'test/fixtures/mcp/tool-server.mjs'), mode, ledger];
    const tools = await openMcpTools({ t: { command: process.execPath, args, read: ['echo'] } }, bounds);
    try {
      return await work(tools.capabilities as readonly WorkCapability[], ledger);
    } finally {
      await tools.close();
    }
  }
  const given = { goal: '', task: 't', idempotencyKey: 'k', inputs: [], arguments: { text: 'a' }, heartbeat() {} };

  test('is asked for its tools again when their list is older than a minute', () =>
    withTools('changes', async ([echo], ledger) => {
      const now = () => echo?.versionNow?.(new AbortController().signal);
      writeFileSync(`${ledger}.changed`, '');
      expect(await now()).toBe(echo?.version);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
      try {
        expect(await now()).not.toBe(echo?.version);
      } finally {
        vi.useRealTimers();
      }
    }));

  test('answers a call within its time', () =>
    withTools(
      'hangs',
      async ([echo]) => {
        const call = echo!.execute({ ...given, signal: new AbortController().signal });
        await expect(call).rejects.toThrow(/did not answer echo: .*time/i);
      },
      { callMs: 200 },
    ));

  test('describes a tool in 1000 characters, of which models are told 600 between marks', async () => {
    const foreign = { ...ids, description: long(700), describedBy: 'MCP server t' };
    const [, tool] = toolsFor({ capabilities: [foreign], agents: [], plans: false }).tools;
    expect(tool?.description).toMatch(/^<data-\w{16} source="MCP server t, 600 of 700 characters">\nx{599}…\n<\/data-/);
    await withTools('wordy', async ([echo]) => {
      expect(echo?.description.length).toBe(1000);
    });
  });

  test('tells its progress in 200 characters, and writes 500 to its last words', async () => {
    const beats: { readonly message?: string }[] = [];
    const heartbeat = (details?: unknown) => void beats.push(details as object);
    await withTools('wordy', async ([echo]) => {
      const call = echo!.execute({ ...given, heartbeat, signal: new AbortController().signal });
      await expect(call).rejects.toThrow(/last words: …?y{499,500}$/);
    });
    expect(beats.map(({ message }) => message?.length)).toEqual([200]);
  });

  test('says of a failure 1000 characters', () => {
    const fails = () => checkError({ isError: true, content: [{ type: 'text', text: long(1001) }] }, 'mcp.t.echo');
    expect(fails).toThrow(/failed: x{999}…$/);
  });

  test('has 20 problems of arguments told', async () => {
    const required = Array.from({ length: 21 }, (_, at) => `field${at}`);
    const properties = Object.fromEntries(required.map((name) => [name, { type: 'number' }]));
    const read = readSchema({ type: 'object', properties });
    const wrong = Object.fromEntries(required.map((name) => [name, 'text']));
    expect(read.ok && read.problemsOf(wrong)).toHaveLength(20);
  });

  test('has its schema compared again when those that took too long are 10 s ago', async () => {
    const read = readSchema({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
    const said = (a: string) => JSON.stringify(read.ok && read.problemsOf({ a }));
    for (let time = 1; time <= 10; time++) said(`${'a'.repeat(40)}!`);
    expect(said('a')).toContain('other values took too long');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });
    try {
      expect(said('a')).toBe('[]');
    } finally {
      vi.useRealTimers();
    }
  });

  test('is named in an error with 50 of its tools', async () => {
    const ledger = join(folder, 'several');
    writeFileSync(ledger, '');
    const args = [join(ROOT, 'test/fixtures/mcp/tool-server.mjs'), 'several', ledger];
    const opened = openMcpTools({ t: { command: process.execPath, args, read: ['none'] } });
    await expect(opened).rejects.toThrow(/"echo49"$/);
  });

  test('has at most 64 values of its environment', () => {
    const env = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`V${at}`, 'x']));
    expect(() => checkConfig({ mcp: { t: { command: 'x', env } } }, '/p/c.ts')).toThrow(/has 65; expected at most 64/);
  });
});
