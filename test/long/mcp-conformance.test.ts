/**
 * The conformance suite and the inspector of MCP, from the registry, against the server: over HTTP, which they speak, with runs in the
 * place of the tools that the suite names. Both need Node 22, which comes from the registry too.
 */

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mcpServer, openHostSession } from '../../src/mcp/index.ts';
import { COUNT, plansOf, SETTINGS } from '../mcp/hosts.ts';
import { CONFIG } from '../cli/planwright.ts';
import { fails, ids, tool } from '../support/capabilities.ts';
import { ROOT } from '../support/source-files.ts';
import { fileFolder } from '../support/folders.ts';
import { openHttpServer } from '../support/http-server.ts';
import { sharedRig } from '../support/rig.ts';

const run = promisify(execFile);
const PACKAGES = [
  'node@22',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];
const LONG_MS = 600_000;

const sleep = tool(
  'sleep',
  'read',
  'value',
  z.object({ seconds: z.number() }),
  ({ arguments: { seconds }, signal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(seconds), seconds * 1000);
      signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)));
    }),
);

const task = (capability: string, args: object) => ({ type: 'task', task: capability, capability, arguments: args });
const question = (key: string) => ({
  ...{ context_key: key, capability: 'ask', task_objective: `Have ${key} told` },
  parameters: { question: `${key}?`, schema: { type: 'boolean' } },
});

/** The tools of the suite, by the plans that stand for them. */
const AS_RUNS: Readonly<Record<string, (given: { readonly seconds?: number }) => object>> = {
  slow_compute: ({ seconds = 0 }) => ({ goal: 'Compute', plan: task('sleep', { seconds }) }),
  failing_job: () => ({ goal: 'Fail', plan: task('fails', { how: 'critical' }) }),
  confirm_delete: () => ({ plan: { goal: 'Confirm', steps: [question('confirm')] } }),
  multi_input: () => ({ plan: { goal: 'Ask twice', steps: [question('name'), question('confirm')] } }),
};

interface Message {
  readonly method?: string;
  readonly params?: {
    name?: string;
    arguments?: object;
    inputResponses?: Record<string, { content?: object }>;
  };
}

function asRun(message: Message): Message {
  const { method, params } = message;
  if (method === 'tools/call' && params?.name !== undefined) {
    const plan = AS_RUNS[params.name]?.(params.arguments ?? {});
    if (plan !== undefined) Object.assign(params, { name: 'run_plan', arguments: plan });
    if (params.name === 'greet') Object.assign(params, { name: 'compile', arguments: { document: COUNT } });
  }
  for (const response of Object.values(params?.inputResponses ?? {})) response.content = { value: true };
  return message;
}

const folder = fileFolder('mcp');
const rig = await sharedRig({ capabilities: [ids, sleep, fails] });
let url: string;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--foreground-scripts', ...PACKAGES], { cwd: folder });
  const room = openHostSession(plansOf(rig), { ...SETTINGS, approval: 'effects' });
  const handler = createMcpHandler(() => mcpServer(room, '0'));
  const server = await openHttpServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const message = body.length === 0 ? undefined : asRun(JSON.parse(body.toString()) as Message);
      const headers = new Headers(request.headers as Record<string, string>);
      if (headers.has('mcp-name') && message?.params?.name !== undefined) {
        const isMeant = headers.get('mcp-name') === (JSON.parse(body.toString()) as Message).params?.name;
        if (isMeant) headers.set('mcp-name', message.params.name);
      }
      const answer = await handler.fetch(
        new Request(`http://127.0.0.1${request.url}`, {
          ...{ method: request.method ?? 'GET', headers },
          ...(message !== undefined && { body: JSON.stringify(message) }),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body === null) response.end();
      else Readable.fromWeb(answer.body as never).pipe(response);
    })();
  });
  url = `${server.url}/mcp`;
  stop = server.close;
}, LONG_MS);
afterAll(async () => {
  await stop();
  await rig.close();
}, LONG_MS);

const node = () => join(folder, 'node_modules/node/bin/node');
const bin = (name: string, path: string) => join(folder, 'node_modules/@modelcontextprotocol', name, path);

async function checksOf(scenario: string): Promise<ReadonlyMap<string, string>> {
  const args = [bin('conformance', 'dist/index.js'), 'server', '--url', url, '--scenario', scenario, '--verbose'];
  const { stdout } = await run(node(), args, { maxBuffer: 2 ** 26 }).catch((failed: { stdout: string }) => failed);
  const checks = [...stdout.matchAll(/"id": "([\w-]+)"[^]*?"status": "(\w+)"[^]*?(?="id"|$)/g)];
  return new Map(checks.map(([, id = '', status = '']) => [id, status]));
}

describe('the conformance suite', () => {
  /** Checks that do not pass, with the reason; everything else does. */
  const NOT_OURS: Readonly<Record<string, readonly string[]>> = {
    // A run has no protocol errors: what fails in it is an error of the tool.
    'tasks-lifecycle': ['sep-2663-tasks-get-status-failed'],
    // The text of its own tool.
    'tasks-request-headers': ['tasks-headers-tolerate-mcp-method-on-tools-call'],
    // They need tools that log, stream or ask for what they may not.
    'server-stateless': [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-sends-tools-list-changed-on-subscription',
      'sep-2575-server-sends-prompts-list-changed-on-subscription',
    ],
  };

  test.each([
    'server-initialize',
    'server-stateless',
    'ping',
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
  ])(
    '%s',
    async (scenario) => {
      const checks = await checksOf(scenario);
      expect(checks.size).toBeGreaterThan(0);
      const failed = [...checks].filter(([, status]) => status !== 'SUCCESS' && status !== 'INFO').map(([id]) => id);
      expect(failed.filter((id) => NOT_OURS[scenario]?.includes(id) !== true)).toEqual([]);
    },
    LONG_MS,
  );
});

test(
  'the inspector lists the tools of the built program and calls one',
  async () => {
    const config = join(folder, 'session.json');
    const args = [join(ROOT, 'dist/cli/main.js'), 'mcp', '--config', CONFIG];
    const planwright = { command: process.execPath, args, env: { FIXTURE_DIR: folder } };
    await writeFile(config, JSON.stringify({ mcpServers: { planwright } }));
    const cli = [
      bin('inspector', 'clients/launcher/build/index.js'),
      '--cli',
      '--config',
      config,
      '--server',
      'planwright',
    ];
    const env = { ...process.env, MCP_INSPECTOR_SECRET_STORE: 'memory' };
    const listed = await run(node(), [...cli, '--method', 'tools/list'], { cwd: folder, env });
    expect(listed.stdout).toContain('run_plan');
    const call = ['--method', 'tools/call', '--tool-name', 'capabilities'];
    const called = await run(node(), [...cli, ...call], { cwd: folder, env });
    expect(called.stdout).toContain('letters');
  },
  LONG_MS,
);
