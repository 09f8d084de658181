/** A project that names servers of MCP: which commands start them, how their tools are checked, and what is said of one that fails. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkConfig } from '../../src/config/index.ts';
import { withMcpSecrets } from '../../src/config/index.ts';
import { planwright } from '../cli/planwright.ts';
import { ROOT } from '../support/source-files.ts';
import { fileFolder } from '../support/folders.ts';

const base = fileFolder('mcp-project');
let folders = 0;

function project(mode: string, more: object = { read: ['count'] }) {
  const cwd = join(base, String(++folders));
  const ledger = `${cwd}-ledger`;
  const server = {
    command: process.execPath,
    args: [join(ROOT, 'test/fixtures/mcp/tool-server.mjs'), mode, ledger],
    ...more,
  };
  const file = join(mkdtempSync(`${cwd}-`), 'planwright.config.mjs');
  writeFileSync(file, `export default ${JSON.stringify({ mcp: { t: server } })};\n`);
  writeFileSync(ledger, '');
  const type = (...args: string[]) =>
    planwright([...args, '-o', 'json'], { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' }, cwd: dirname(file) });
  const isStarted = () => readFileSync(ledger, 'utf8').includes('started');
  return { file, type, isStarted, write: (name: string, text: string) => write(join(base, name), text) };
}

function write(path: string, text: string): string {
  writeFileSync(path, text);
  return path;
}

const plan = (capability: string, args: object) =>
  JSON.stringify({ goal: 'Say', plan: { type: 'task', task: 'Say it', capability, arguments: args } });

test('its tools are listed and compiled against, with their versions and effects', async () => {
  const { type, isStarted, file: config, write: file } = project('honest');
  const listed = JSON.parse((await type('capabilities')).stdout) as {
    readonly capabilities: readonly { readonly name: string }[];
  };
  expect(listed.capabilities.map(({ name }) => name).filter((name) => name.startsWith('mcp.'))).toEqual([
    'mcp.t.echo',
    'mcp.t.count',
    'mcp.t.write',
  ]);
  expect(listed.capabilities.find(({ name }) => name === 'mcp.t.count')).toMatchObject({
    ...{ effect: 'read', output: 'value' },
    arguments: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  });
  const compiled = await type('compile', '--config', config, file('a.json', plan('mcp.t.write', { text: 'a' })));
  expect(JSON.parse(compiled.stdout)).toMatchObject({
    executors: {
      node_1: {
        kind: 'capability',
        name: 'mcp.t.write',
        effect: 'at-most-once',
        version: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      },
    },
  });
  expect(isStarted()).toBe(true);
});

test('arguments that do not fit the schema of a tool are issues of the plan', async () => {
  const { type, file: config, write: file } = project('honest');
  const refused = await type('compile', '--config', config, file('b.json', plan('mcp.t.write', { text: 1, more: 2 })));
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: { code: 'PLAN_INVALID', issues: [{ path: '$.plan.arguments.more' }, { path: '$.plan.arguments.text' }] },
  });
});

test('a tool that is withheld has its reason in the list, in the doctor, and in the issue of a plan that names it', async () => {
  const { type, file: config, write: file } = project('odd', {});
  const why = 'the server lists "two" 2 times, and not the same';
  const { stdout } = await type('capabilities');
  expect(JSON.parse(stdout)).toMatchObject({
    withheld: expect.arrayContaining([{ name: 'mcp.t.two', why }]) as unknown,
  });
  const checked = (await type('doctor')).stdout;
  expect(checked).toContain(JSON.stringify(`mcp.t.two is withheld: ${why}`).slice(1, -1));
  const refused = await type('compile', '--config', config, file('two.json', plan('mcp.t.two', { text: 'a' })));
  expect(refused.stdout).toContain(
    JSON.stringify(`There is no capability "mcp.t.two"; "mcp.t.two" is withheld: ${why}.`).slice(1, -1),
  );
  const away = project('exits');
  const unknown = await away.type('compile', '--config', away.file, file('away.json', plan('mcp.t.echo', {})));
  expect(unknown.stdout).toMatch(/"mcp\.t\\" is withheld: MCP server t does not answer/);
});

test('a server that does not start is told with its last words, and stops no command that does not need it', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const { code, stdout } = await project('exits').type('capabilities');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true }]);
  expect(warned).toHaveBeenCalledWith(
    expect.stringMatching(/MCP server t does not answer: .*its last words: I need a key/),
  );
});

test('a secret comes from the environment alone, and where it is missing its variable is named', async () => {
  const { type } = project('honest', { env: { TOKEN: { env: 'PLANWRIGHT_TEST_TOKEN' } } });
  const { stdout } = await type('capabilities');
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      message: expect.stringContaining('mcp.t.env.TOKEN: the environment has no PLANWRIGHT_TEST_TOKEN') as string,
    },
  });
  const servers = { t: { command: 'x', env: { A: 'plain', B: { env: 'B' } } } };
  expect(withMcpSecrets(servers, { B: 'of the environment' })).toEqual({
    servers: { t: { command: 'x', env: { A: 'plain', B: 'of the environment' } } },
    secrets: ['of the environment'],
  });
});

test.each<[mcp: unknown, said: RegExp]>([
  [{ t: {} }, /config\.mcp\.t: expected a command or a url/],
  [{ t: { command: 'x', url: 'http://h/mcp' } }, /config\.mcp\.t: expected a command or a url/],
  [{ t: { url: 'http://h/mcp', args: ['a'] } }, /args and env belong to a command/],
  [{ t: { url: 'http://user:pass@h/mcp' } }, /config\.mcp\.t\.url: expected http/],
  [{ t: { url: 'ftp://h' } }, /config\.mcp\.t\.url: expected http/],
  [{ 'a b': { command: 'x' } }, /config\.mcp\.a b: expected the name of a server/],
  [{ t: { command: 'x', env: { API_TOKEN: 'abc' } } }, /the value of API_TOKEN would stand in the config/],
  [{ t: { command: 'x', env: { 'a-b': 'abc' } } }, /mcp\.t\.env\.a-b: expected .* by the names of variables/],
  [{ t: { command: 'x', env: [] } }, /config\.mcp\.t\.env: expected an object/],
  [
    { t: { url: 'http://h/mcp', headers: { Authorization: 'Bearer abcdefgh' } } },
    /Authorization.*would stand in the config|Authorization is set/,
  ],
  [{ t: { command: 'x', reads: [] } }, /config\.mcp\.t: there is no reads; known are .*Did you mean "read"/],
  [Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`s${at}`, { command: 'x' }])), /at most 32 servers/],
])('%j does not fit', (mcp, said) => {
  expect(() => checkConfig({ mcp }, '/p/planwright.config.ts')).toThrow(said);
});
