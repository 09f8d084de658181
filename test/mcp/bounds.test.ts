/** What a host and a server of tools may have at most, one beyond each. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, test, vi } from 'vitest';
import { openMcpTools } from '../../src/capabilities/builtin/index.ts';
import { readSchema, type WorkCapability } from '../../src/capabilities/index.ts';
import { createAnswers, openHostSession, type HostSession } from '../../src/mcp/host-session.ts';
import { contentOf } from '../../src/mcp/tool.ts';
import { type Host } from '../../src/mcp/host.ts';
import { formsFor } from '../../src/mcp/open-items.ts';
import { waitTurn } from '../../src/mcp/wait-round.ts';
import { itemKey, type KeyedItem, type Plans } from '../../src/operations/index.ts';
import type { OpenItem } from '../../src/protocol/index.ts';
import { ROOT } from '../support/source-files.ts';
import { SETTINGS } from './hosts.ts';
import { fileFolder } from '../support/folders.ts';

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

/** A session in which so many items are open, whatever is asked. */
function sessionWith(open: readonly KeyedItem[]): HostSession {
  const perform = () =>
    Promise.resolve({ workflowId: 'plan-1', phase: 'running', open, counts: { succeeded: 0, reused: 0, total: 1 } });
  return { ...openHostSession(plans, SETTINGS), perform: perform as never };
}

describe('a host', () => {
  const host: Host = { name: 'h', tasks: false, elicits: true, isLegacy: false };
  const context = { mcpReq: { signal: new AbortController().signal, _meta: undefined } } as never as ServerContext;

  test('is shown no plan that is another one than the approval is about', async () => {
    const [item] = items(1).map((one) => ({
      ...one,
      kind: 'approval' as const,
      send: { name: 'approve' as const, input: {} },
    }));
    const shown = (digest: string) =>
      ({ ...sessionWith([]), perform: () => Promise.resolve({ digest, text: 'a plan' }) }) as never as HostSession;
    const asked = [{ key: 'k', item: item! }];
    expect(await formsFor(shown('e'.repeat(64)), asked)).toEqual([]);
    expect(JSON.stringify(await formsFor(shown('d'.repeat(64)), asked))).toContain('a plan');
  });

  test('asks its person 6 times in one call', async () => {
    const turn = { session: sessionWith(items(1)), host, context };
    const state = { workflowId: 'plan-1', asked: [] };
    expect(await waitTurn(turn, { ...state, round: 5 })).toMatchObject({ resultType: 'input_required' });
    expect(await waitTurn(turn, { ...state, round: 6 })).toMatchObject({
      structuredContent: { waiting: [{ kind: 'question' }] },
    });
  });

  test('is given no answer above the bound, and told where the whole is', () => {
    expect(contentOf({ text: long(99_900) }).isError).toBeUndefined();
    const large = contentOf({ text: long(100_001) }, 'see the resource');
    expect(large).toMatchObject({ isError: true, structuredContent: { error: { code: 'TOO_LARGE' } } });
    expect(JSON.stringify(large)).toContain('see the resource');
  });

  test('is remembered for 10,000 items, and asked anew about older ones', () => {
    const answers = createAnswers();
    for (let at = 0; at <= 10_000; at++) answers.note(`key-${at}`, 'taken', 'run', 'text');
    expect([answers.askedAs('key-0'), answers.askedAs('key-1')]).toEqual(['key-0', undefined]);
  });
});

const folder = fileFolder('bounds');

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

  test('answers a call within its time', () =>
    withTools(
      'hangs',
      async ([echo]) => {
        const call = echo!.execute({ ...given, signal: new AbortController().signal });
        await expect(call).rejects.toThrow(/did not answer echo: .*time/i);
      },
      { callMs: 200 },
    ));

  test('has its schema compared again when those that took too long are 10 s ago', { tags: ['slow'] }, async () => {
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
});
