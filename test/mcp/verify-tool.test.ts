/** How a config says by which tool a server is asked whether an effect happened, and what its answers mean. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openMcpTools, type McpTools } from '../../src/capabilities/builtin/index.ts';
import type { VerifySettings } from '../../src/capabilities/builtin/mcp/verify-tool.ts';
import { configSchema } from '../../src/config/schema.ts';
import { fileFolder } from '../support/folders.ts';
import { ROOT } from '../support/source-files.ts';

const folder = fileFolder('verify-tool');
const opened: McpTools[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((tools) => tools.close()))));

const FIND = { tool: 'find', match: { happened: { at: 'done' } } };

async function open(verify: Readonly<Record<string, VerifySettings>>, read = ['find']) {
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const args = [join(ROOT, 'test/fixtures/mcp/tool-server.mjs'), 'remembers', ledger];
  const tools = await openMcpTools({ t: { command: process.execPath, args, read, verify } });
  opened.push(tools);
  const write = tools.capabilities.find(({ name }) => name === 'mcp.t.write');
  if (write === undefined || write.kind === 'wait') throw new Error('there is no tool write');
  return write;
}

/** The meaning of an answer to `find`: the text of the task. */
async function meaning(match: VerifySettings['match'], answer: object) {
  const { verify } = await open({ write: { tool: 'find', arguments: { text: { from: 'arguments.text' } }, match } });
  const { signal } = new AbortController();
  const task = { idempotencyKey: 'k/1', arguments: { text: JSON.stringify(answer) }, signal };
  return verify?.(task as never);
}

const HAPPENED = { happened: { at: 'state', is: ['paid', 'settled'] }, notHappened: { at: 'state', is: ['none'] } };
const yes = (result: unknown) => ({ happened: true, result });
const NO = { happened: false };

test.each<[string, VerifySettings['match'], object, unknown]>([
  ['one of several values', HAPPENED, { state: 'settled' }, yes('{"state":"settled"}')],
  ['the value of the other condition', HAPPENED, { state: 'none' }, NO],
  ['another value', HAPPENED, { state: 'pending' }, undefined],
  ['no such member', HAPPENED, { status: 'paid' }, undefined],
  ['a member of the prototype', { happened: { at: 'constructor' } }, {}, undefined],
  ['what fits both', { happened: { at: 'a' }, notHappened: { at: 'b' } }, { a: 1, b: 1 }, undefined],
  ['neither, without a condition for no', { happened: { at: 'a' } }, { b: 1 }, undefined],
  ['null where something is expected', { happened: { at: 'a' } }, { a: null }, undefined],
  ['null where null is expected', { happened: { at: 'a' }, notHappened: { at: 'a', is: [null] } }, { a: null }, NO],
  ['an empty list', { happened: { at: 'a.0' }, notHappened: { at: 'a', is: [[]] } }, { a: [] }, NO],
  ['the key', { happened: { at: 'ref', is: [{ from: 'idempotencyKey' }] } }, { ref: 'k/1' }, yes('{"ref":"k/1"}')],
  ['another key', { happened: { at: 'ref', is: [{ from: 'idempotencyKey' }] } }, { ref: 'k/2' }, undefined],
  ['a part of a text', { happened: { at: 'a', contains: 'paid' } }, { a: 'is paid' }, yes('{"a":"is paid"}')],
  ['a text without that part', { happened: { at: 'a', contains: 'paid' } }, { a: 'is open' }, undefined],
  ['a result at a place', { happened: { at: 'a' }, result: 'a.1' }, { a: [0, 'receipt 7'] }, yes('receipt 7')],
  ['a result that is no text', { happened: { at: 'a' }, result: 'a' }, { a: { id: 7 } }, yes('{"id":7}')],
  ['no result at its place', { happened: { at: 'a' }, result: 'b' }, { a: 1 }, yes(undefined)],
])('an answer with %s', async (_, match, answer, means) => {
  expect(await meaning(match, answer)).toEqual(means);
});

test('an argument that the task does not have is no answer', async () => {
  const match = { happened: { at: 'a', is: [{ from: 'arguments.text.id' }] } };
  await expect(meaning(match, { a: 1 })).rejects.toThrow('the task has no arguments.text.id');
});

test('the way to find out is part of the version that is approved', async () => {
  const other = { ...FIND, match: { happened: { at: 'paid' } } };
  const [plain, one, two, again] = [
    await open({}),
    await open({ write: FIND }),
    await open({ write: other }),
    await open({ write: FIND }),
  ];
  expect(new Set([plain.version, one.version, two.version]).size).toBe(3);
  expect(again.version).toBe(one.version);
  const { signal } = new AbortController();
  for (const capability of [plain, one]) expect(await capability.versionNow?.(signal)).toBe(capability.version);
});

describe('a config is refused', () => {
  test.each<[string, Readonly<Record<string, VerifySettings>>, string[], string]>([
    [
      'for a read',
      { echo: FIND },
      ['find', 'echo'],
      'mcp.t.verify.echo: read lists this tool, and a read is repeated; take it out of one of the two',
    ],
    [
      'for a tool that is not there',
      { pay: FIND },
      ['find'],
      'mcp.t.verify.pay: there is no such tool; the server has "echo", "count", "write" or "find"',
    ],
    [
      'with a tool that is not there',
      { write: { ...FIND, tool: 'look' } },
      ['find'],
      'mcp.t.verify.write.tool: there is no "look"; the server has ',
    ],
    [
      'with a tool that is no read',
      { write: FIND },
      [],
      'mcp.t.verify.write.tool: expected a tool that only reads, got "find"; if it changes nothing, add it to read',
    ],
    [
      'with an argument that its tool does not take',
      { write: { ...FIND, arguments: { id: 'a' } } },
      ['find'],
      'mcp.t.verify.write.arguments: "find" takes "text" or "key", not "id"',
    ],
    [
      'with an argument that no task has',
      { write: { ...FIND, arguments: { key: { from: 'arguments.id' } } } },
      ['find'],
      'mcp.t.verify.write: arguments.id: "write" takes "text"',
    ],
  ])('%s', async (_, verify, read, message) => {
    await expect(open(verify, read)).rejects.toThrow(message);
  });

  test.each<[unknown, string]>([
    [{ tool: 'find' }, 'expected { happened, notHappened?, result? }'],
    [{ ...FIND, toool: 'find' }, 'expected { tool, arguments?, match }'],
    [{ ...FIND, match: { happened: {} } }, 'expected one or more of at, is (a list of values) and contains (a text)'],
    [{ ...FIND, match: { happened: { at: 'a', is: 'paid' } } }, 'expected one or more of at, is'],
    [{ ...FIND, match: { happened: { at: 'a', is: [{ from: 'key' }] } } }, "{ from: 'idempotencyKey' }"],
    [{ ...FIND, match: { happened: { at: 'a..b' } } }, 'expected a place in the answer'],
    [{ ...FIND, match: { happened: { at: 'a', contains: '' } } }, "{ from: 'idempotencyKey' }"],
    [
      { ...FIND, match: { happened: { at: 'a', contains: { from: 'arguments.id' } } } },
      'another value may be part of a longer one; compare it with is',
    ],
    [{ ...FIND, arguments: { key: { from: 'key' } } }, "{ from: 'idempotencyKey' }"],
  ])('with %j', (write, message) => {
    const read = configSchema('/').safeParse({ mcp: { bank: { command: 'bank', read: ['find'], verify: { write } } } });
    const [issue] = read.error?.issues ?? [];
    expect(issue?.path.slice(0, 4)).toEqual(['mcp', 'bank', 'verify', 'write']);
    expect(issue?.message).toContain(message);
  });
});
