/** Hosts of MCP for tests: one of the official client, and one that writes whatever it likes, over a pair of streams in this process. */

import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { openHostSession, serveMcp, type McpSettings } from '../../src/mcp/index.ts';
import type { Plans } from '../../src/operations/index.ts';
import { connectRun, sessionIn } from '../../src/config/project/index.ts';
import type { Rig } from '../support/rig.ts';

export const SETTINGS: McpSettings = { by: 'operator', approval: 'required', anyRun: false, answers: true };
export const MODERN = '2026-07-28';
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
export const CAN = { tasks: { ...TASKS, elicitation: {} }, elicitation: { elicitation: {} }, nothing: {} } as const;

/** The operations on the runs of a rig, which has no project. */
export function plansOf({ client, store, taskQueue }: Rig): Plans {
  const { options } = client.connection as unknown as { readonly options: { readonly address: string } };
  const answers = () => Promise.resolve(true);
  const close = () => Promise.resolve();
  const connected = { client, address: options.address, namespace: 'default', answers, close };
  const place = { store: store.place, taskQueue };
  const plans: Plans = {
    project: () => Promise.resolve(undefined),
    signedBy: () => plans,
    session: () => sessionIn(connected, place),
    run: (workflowId) => connectRun(connected, workflowId, place),
    drafts: () => Promise.reject(new Error('a rig has no drafts')),
    store: () => Promise.resolve(store),
    storeAt: () => Promise.reject(new Error('a rig has no other store')),
    typed: (command) => `planwright ${command}`,
    close,
  };
  return plans;
}

export interface Line {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface RawHost {
  /** Every line that came. */
  readonly lines: readonly Line[];
  readonly notes: readonly string[];
  /** Sends a request of 2026 and waits for its answer. */
  ask(method: string, params?: object, can?: object): Promise<Line>;
  /** Calls a tool; its JSON where its result has text. */
  call(tool: string, args: object, can?: object): Promise<Called>;
  write(text: string): void;
  /** Waits for a line. */
  said(fits: (line: Line) => boolean): Promise<Line>;
  leave(): void;
  readonly ended: Promise<void>;
}

export interface Called {
  readonly json: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly result: Readonly<Record<string, unknown>>;
}

export function rawHost(plans: Plans, settings: Partial<McpSettings> = {}): RawHost {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: Line[] = [];
  const notes: string[] = [];
  const waiting = new Set<{ fits(line: Line): boolean; done(line: Line): void }>();
  createInterface({ input: output }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    for (const one of waiting) {
      if (!one.fits(line)) continue;
      waiting.delete(one);
      one.done(line);
    }
  });
  const room = openHostSession(plans, { ...SETTINGS, ...settings });
  const served = serveMcp(room, { input, output, version: '0', note: (line) => notes.push(line) });
  let ids = 0;
  const host: RawHost = {
    lines,
    notes,
    ended: served.ended,
    write: (text) => void input.write(text),
    leave: () => input.end(),
    said(fits) {
      const there = lines.find(fits);
      return there !== undefined ? Promise.resolve(there) : new Promise((done) => waiting.add({ fits, done }));
    },
    ask(method, params = {}, can = CAN.tasks) {
      const id = ++ids;
      const said = host.said((line) => line.id === id);
      host.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: metaOf(can, params) } })}\n`,
      );
      return said;
    },
    async call(name, args, can = CAN.nothing) {
      const { result, error } = await host.ask('tools/call', { name, arguments: args }, can);
      if (result === undefined) throw new Error(JSON.stringify(error));
      const [first] = (result['content'] ?? []) as { readonly text?: string }[];
      const json =
        first?.text?.startsWith('{') === true ? (JSON.parse(first.text) as Called['json']) : { text: first?.text };
      return { json, isError: result['isError'] === true, result };
    },
  };
  return host;
}

function metaOf(can: object, { _meta }: { readonly _meta?: object }): object {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': can,
    ..._meta,
  };
}

/** The official client, connected to a server of its own. */
export async function officialHost(
  plans: Plans,
  options: ClientOptions,
  settings: Partial<McpSettings> = {},
  prepare: (client: Client) => void = () => {},
  bounds?: { readonly callMs: number; readonly formMs: number },
): Promise<{ readonly client: Client; close(): Promise<void> }> {
  const input = new PassThrough();
  const output = new PassThrough();
  const room = openHostSession(plans, { ...SETTINGS, ...settings }, bounds);
  const served = serveMcp(room, { input, output, version: '0', note: () => {} });
  const client = new Client({ name: 'official', version: '1' }, options);
  prepare(client);
  // The framing of both ends is the same.
  await client.connect(new StdioServerTransport(output, input));
  return {
    client,
    async close() {
      await client.close();
      input.end();
      await served.ended;
    },
  };
}

/** A plan for the capability `ids` of the rigs. */
export const COUNT = {
  goal: 'Count',
  plan: { type: 'task', task: 'Say two words', capability: 'ids', arguments: { ids: ['one', 'two'] } },
};

export type Task = Readonly<Record<string, unknown>>;
export type Requests = Readonly<
  Record<string, { readonly method: string; readonly params: { readonly message: string } }>
>;

export const APPROVED = { action: 'accept', content: { decision: 'approve' } };
export const statusIs = (status: string) => (task: Task) => task['status'] === status;

/** Asks for a task until it fits, as a host polls. */
export async function polled(host: RawHost, taskId: string, fits: (task: Task) => boolean): Promise<Task> {
  for (;;) {
    const { result, error } = await host.ask('tasks/get', { taskId });
    if (result === undefined) throw new Error(JSON.stringify(error));
    if (fits(result)) return result;
  }
}

/** The requests of a task, once it has some. */
export async function requestsOf(host: RawHost, taskId: string): Promise<Requests> {
  return (await polled(host, taskId, statusIs('input_required')))['inputRequests'] as Requests;
}

export async function startTask(host: RawHost, args: object = COUNT): Promise<string> {
  const { result } = await host.call('run_plan', args, CAN.tasks);
  if (result['resultType'] !== 'task') throw new Error(JSON.stringify(result));
  return String(result['taskId']);
}

export async function within<T>(
  plans: Plans,
  settings: Partial<McpSettings>,
  work: (host: RawHost) => Promise<T>,
): Promise<T> {
  const host = rawHost(plans, settings);
  try {
    return await work(host);
  } finally {
    host.leave();
    await host.ended;
  }
}
