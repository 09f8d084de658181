/** What follows from each answer of a tool, over pipes and over HTTP: an effect is uncertain once its request may have left. */

import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { openMcpTools, type McpTools } from '../../src/capabilities/builtin/index.ts';
import { connectMcp } from '../../src/capabilities/builtin/mcp/connection.ts';
import { CALL_OUTCOMES } from '../../src/capabilities/builtin/mcp/read-answer.ts';
import type { WorkCapability } from '../../src/capabilities/index.ts';
import { ROOT } from '../support/source-files.ts';
import { fileFolder } from '../support/folders.ts';
import { openHttpServer } from '../support/http-server.ts';

const SERVER = join(ROOT, 'test/fixtures/mcp/tool-server.mjs');
const folder = fileFolder('outcomes');
const closing: (() => Promise<unknown> | void)[] = [];
let count = 0;
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Way = 'stdio' | 'http';
interface Fake {
  readonly settings: Parameters<typeof connectMcp>[1];
  /** Calls that reached the server. */
  calls(): number;
  leave(): void;
}

function overPipes(mode = 'answers'): Fake {
  const [program, ledger] = [join(folder, `server-${++count}.mjs`), join(folder, `ledger-${count}`)];
  copyFileSync(SERVER, program);
  writeFileSync(ledger, '');
  return {
    settings: { command: process.execPath, args: [program, mode, ledger] },
    calls: () => readFileSync(ledger, 'utf8').split('{').length - 1,
    leave: () => rmSync(program),
  };
}

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly protocolVersion: string; readonly arguments: { readonly text: string } };
}

/** @param answerer answers a call by the text of its argument */
async function overHttp(answerer: (response: ServerResponse, text: string, url: string) => void): Promise<Fake> {
  let calls = 0;
  const { url, close } = await openHttpServer((request, response) => {
    void (async () => {
      const { id, method, params } = JSON.parse((await text(request)) || '{}') as Sent;
      const json = (result: object) => {
        response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...result }));
      };
      if (method === 'initialize') {
        const { protocolVersion } = params;
        return json({
          result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } },
        });
      }
      if (method === 'tools/list') return json({ result: { tools: TOOLS } });
      if (method !== 'tools/call') return void response.writeHead(202, { connection: 'close' }).end();
      calls += 1;
      const said = params.arguments.text;
      return said.startsWith('{') ? json(JSON.parse(said)) : answerer(response, said, request.url ?? '');
    })();
  });
  closing.push(close);
  return { settings: { url: `${url}/` }, calls: () => calls, leave: () => void close() };
}

const INPUT = { type: 'object', properties: { text: { type: 'string' } } };
const TOOLS = [
  { name: 'echo', inputSchema: INPUT },
  {
    name: 'count',
    inputSchema: INPUT,
    outputSchema: { type: 'object', properties: { letters: { type: 'integer' } }, required: ['letters'] },
  },
];

function respond(response: ServerResponse, said: string, url: string): void {
  if (said === 'hangs') return;
  if (said === 'breaks') return void response.destroy();
  if (said === 'half')
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .write('{"jsonrpc"', () => response.destroy());
  if (said === 'page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in</p>');
  if (said === '307-within' && url !== '/') return void response.destroy();
  const location = said === '307-within' ? '/other' : 'http://127.0.0.2:9/';
  response.writeHead(Number.parseInt(said, 10), { 'content-type': 'text/plain', location }).end('no');
}

interface Tried {
  readonly read: unknown;
  readonly effect: unknown;
}

/** Calls the tool as a read, and as an effect. @returns what either came to */
async function tried(
  fake: Fake,
  name: string,
  given: string,
  { isLate = false, before = () => {} }: { readonly isLate?: boolean; before?(): void } = {},
): Promise<Tried> {
  // Only what never answers is not waited for: a busy machine may take its time.
  const callMs = isLate ? 300 : 60_000;
  const outcomes: unknown[] = [];
  for (const read of [[name], []]) {
    const tools: McpTools = await openMcpTools({ t: { ...fake.settings, read } }, { callMs });
    closing.push(() => tools.close());
    outcomes.push(tools.capabilities.find((one) => one.name === `mcp.t.${name}`));
  }
  before();
  const [read, effect] = await Promise.all(
    outcomes.map(async (capability) => {
      const more = { goal: '', task: 't', idempotencyKey: 'k', inputs: [], heartbeat() {} };
      const task = { ...more, arguments: { text: given }, signal: new AbortController().signal };
      try {
        return { done: await (capability as WorkCapability).execute(task) };
      } catch (error) {
        const { name: is, errorClass } = error as { readonly name: string; readonly errorClass?: string };
        return is === 'NotApplied' ? 'not-applied' : errorClass;
      }
    }),
  );
  return { read, effect };
}

const json = JSON.stringify;
const block = (said: string) => ({ type: 'text', text: said });
const content = (...blocks: readonly object[]) => json({ result: { content: blocks } });
const error = (code: number) => json({ error: { code, message: 'Output validation error' } });

const BOTH: readonly Way[] = ['stdio', 'http'];
/** Answer, tool, the text of the call; then the ways, what a read comes to, and an effect where that is something else. An effect that fails is uncertain. */
const ROWS: readonly (readonly [
  keyof typeof CALL_OUTCOMES,
  string,
  string,
  string,
  readonly Way[],
  unknown,
  unknown?,
])[] = [
  ['error', 'echo', '-32602', error(-32602), BOTH, 'RETRIABLE'],
  ['error', 'echo', '-32601 of a tool that is listed', error(-32601), BOTH, 'RETRIABLE'],
  ['error', 'echo', '-32603', error(-32603), BOTH, 'RETRIABLE'],
  ['status', 'echo', '400', '400', ['http'], 'RETRIABLE'],
  ['status', 'echo', '401', '401', ['http'], 'RETRIABLE'],
  ['status', 'echo', '404', '404', ['http'], 'RETRIABLE'],
  ['status', 'echo', '429', '429', ['http'], 'RETRIABLE'],
  ['status', 'echo', '503', '503', ['http'], 'RETRIABLE'],
  ['status', 'echo', 'a redirect to another server', '307', ['http'], 'RETRIABLE'],
  ['status', 'echo', 'a redirect that loses the request', '303', ['http'], 'RETRIABLE'],
  ['broken', 'echo', 'a redirect that is followed', '307-within', ['http'], 'RETRIABLE'],
  ['broken', 'echo', 'a connection that ends', 'breaks', ['http'], 'RETRIABLE'],
  ['broken', 'echo', 'half an answer', 'half', ['http'], 'RETRIABLE'],
  ['late', 'echo', 'no answer', 'hangs', ['http'], 'RETRIABLE'],
  ['malformed', 'echo', 'a page', 'page', ['http'], 'RETRIABLE'],
  ['malformed', 'echo', 'a content that is no list', json({ result: { content: 'a' } }), BOTH, 'RETRIABLE'],
  ['tool-error', 'echo', 'isError', json({ result: { isError: true, content: [] } }), BOTH, 'REPLANNING'],
  [
    'misfit',
    'count',
    'a structure that does not fit',
    json({ result: { structuredContent: { letters: 'a' } } }),
    BOTH,
    'CRITICAL',
  ],
  ['misfit', 'count', 'no structure', content(block('two')), BOTH, 'CRITICAL'],
  ['misfit', 'count', 'two that fit', content(block('{"letters":1}'), block('{"letters":2}')), BOTH, 'CRITICAL'],
  [
    'empty',
    'echo',
    'no content',
    content(),
    BOTH,
    'REPLANNING',
    { done: '[mcp.t.echo gave an empty answer: no content]' },
  ],
  [
    'empty',
    'echo',
    'an empty text',
    content(block('')),
    BOTH,
    'REPLANNING',
    { done: '[mcp.t.echo gave an empty answer: a blank text]' },
  ],
];

const WAYS = ROWS.flatMap(([answer, tool, what, given, ways, read, effect = read]) =>
  ways.map((way) => ({ answer, tool, what, given, way, read, effect })),
);

describe('an answer that is no result', () => {
  test.each(WAYS)('$answer, over $way: $what', async ({ answer, tool, given, way, read, effect }) => {
    const fake = way === 'stdio' ? overPipes() : await overHttp(respond);
    expect(await tried(fake, tool, given, { isLate: answer === 'late' })).toEqual({ read, effect });
    expect(fake.calls()).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ['broken', 'dies'],
    ['late', 'hangs'],
  ])('%s, over stdio: a server that %s', async (answer, mode) => {
    expect(await tried(overPipes(mode), 'echo', 'a', { isLate: answer === 'late' })).toEqual({
      read: 'RETRIABLE',
      effect: 'RETRIABLE',
    });
  });

  test('unreachable, over http: a server that has gone takes no request, so that nothing was done', async () => {
    const fake = await overHttp(respond);
    expect(await tried(fake, 'echo', '503', { before: fake.leave })).toEqual({
      read: 'RETRIABLE',
      effect: 'not-applied',
    });
    expect(fake.calls()).toBe(0);
  });

  test('unreachable, over stdio: a server that ended in a call and cannot be started again', async () => {
    const fake = overPipes('dies');
    const tools = await openMcpTools({ t: fake.settings });
    closing.push(() => tools.close());
    const task = { goal: '', task: 't', idempotencyKey: 'k', inputs: [], arguments: { text: 'a' }, heartbeat() {} };
    const [echo] = tools.capabilities as readonly WorkCapability[];
    const call = () => echo!.execute({ ...task, signal: new AbortController().signal });
    await expect(call()).rejects.toMatchObject({ errorClass: 'RETRIABLE' });
    fake.leave();
    await expect(call()).rejects.toMatchObject({ name: 'NotApplied' });
    expect(fake.calls()).toBe(1);
  });

  test.each(BOTH)('unlisted, over %s: -32601 of a tool that this connection never listed', async (way) => {
    const connection = connectMcp('MCP server t', (way === 'stdio' ? overPipes() : await overHttp(respond)).settings);
    closing.push(() => connection.close());
    const options = { signal: new AbortController().signal, onProgress() {} };
    const call = connection.call('never', { text: error(-32601) }, options);
    await expect(call).rejects.toMatchObject({ name: 'CallFailure', answer: 'unlisted' });
  });

  test('every row of the table is tried over each of its ways, and only what never left is not applied', () => {
    const seen = new Set([...WAYS.map(({ answer, way }) => `${answer} ${way}`), 'broken stdio', 'late stdio']);
    for (const answer of ['unreachable', 'unlisted']) for (const way of BOTH) seen.add(`${answer} ${way}`);
    const rows = Object.entries(CALL_OUTCOMES).flatMap(([answer, { over }]) => over.map((way) => `${answer} ${way}`));
    expect([...seen].toSorted()).toEqual(rows.toSorted());
    const notApplied = Object.entries(CALL_OUTCOMES).filter(([, { effect }]) => effect === 'not-applied');
    expect(notApplied.map(([answer]) => answer)).toEqual(['unreachable', 'unlisted']);
  });
});

const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
const found = (result: object) => json({ result });

describe('a result is found where the protocol allows it', () => {
  test.each<readonly [string, string, string, unknown]>([
    ['echo', 'a structure without a schema', found({ content: [], structuredContent: { id: 7 } }), '{"id":7}'],
    ['echo', 'a structure without content', found({ structuredContent: { id: 7 } }), '{"id":7}'],
    ['echo', 'a structure beside its text', found({ content: [block('seven')], structuredContent: [7] }), '[7]'],
    ['echo', 'an empty structure beside a text', found({ content: [block('seven')], structuredContent: {} }), 'seven'],
    ['echo', 'several texts', content(block('a'), block('b')), 'a\nb'],
    ['echo', 'an embedded text', content({ type: 'resource', resource: { uri: 'file:///c', text: 'c' } }), 'c'],
    [
      'echo',
      'embedded bytes',
      content({ type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } }),
      '[bytes, 3 bytes, left out]',
    ],
    ['echo', 'an image', content(image), '[image/png, 3 bytes, left out]'],
    ['echo', 'a sound', content({ ...image, type: 'audio', mimeType: 'audio/wav' }), '[audio/wav, 3 bytes, left out]'],
    ['echo', 'a link', content({ type: 'resource_link', uri: 'file:///b', name: 'b' }), 'file:///b'],
    ['echo', 'a content of another kind', content({ type: 'video', url: 'a' }), '[video, left out]'],
    ['count', 'the announced structure', found({ content: [], structuredContent: { letters: 1 } }), { letters: 1 }],
    ['count', 'its JSON as a text', content(block('{"letters": 1}')), { letters: 1 }],
    ['count', 'its JSON among texts', content(block('Counted:'), block('{"letters":1}')), { letters: 1 }],
    [
      'count',
      'its JSON in an embedded text',
      content({ type: 'resource', resource: { uri: 'a:b', text: '{"letters":1}' } }),
      { letters: 1 },
    ],
    ['count', 'the same twice', content(block('{"letters":1}'), block('{"letters": 1}')), { letters: 1 }],
  ])('%s: %s', async (tool, _, given, result) => {
    expect(await tried(overPipes(), tool, given)).toEqual({ read: { done: result }, effect: { done: result } });
  });
});
