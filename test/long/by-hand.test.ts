/** docs/temporal.md: what each row of its table says is seen in the ledgers outside, and in what Temporal tells. */

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { ROOT, readSource } from '../support/source-files.ts';
import { fileFolder } from '../support/folders.ts';
import { fileClient } from '../support/file-client.ts';
import { eventually } from '../support/eventually.ts';

const run = promisify(execFile);
const prefix = `${process.pid}-`;
const PEOPLE = ['operator', 'safety'];
const WAYS = ['hand', 'here'] as const;
type Way = (typeof WAYS)[number];
const ROWS = ['reset', 'kill', 'edit', 'name', 'malformed', 'questions', 'large', 'rerun', 'markup', 'model'] as const;
type Row = (typeof ROWS)[number];

/** What the page says in bold of the two ways, row by row. */
const TOLD = [...readSource('docs/temporal.md').matchAll(/^\| \d.*\| \*\*(.+?)\*\*.*\| \*\*(.+?)\*\*.*\|$/gm)].map(
  ([, hand, here]) => [hand, here],
);
const told = (row: Row) => TOLD[ROWS.indexOf(row)];
const START = JSON.parse(readSource('examples/by-hand/start.json')) as {
  readonly plan: { readonly input: { arguments: object } };
  readonly options: object;
};

const folder = fileFolder('by-hand');
const client = await fileClient();
let worker: ChildProcess;
beforeAll(async () => {
  write('ordered.txt', 'beaker\nflask\n');
  write('delivered.txt', 'flask\n');
  worker = await startWorker();
});
afterEach(() => ['bank-is-silent', 'printer-is-off'].forEach(remove));
afterAll(() => void worker.kill('SIGKILL'));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const remove = (name: string) => rmSync(join(folder, name), { force: true });
const ledger = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
const idOf = (way: Way, row: string) => `${prefix}${row}-${way}`;
const handleOf = (way: Way, row: string) => client.workflow.getHandle(idOf(way, row));
const both = <T>(act: (way: Way) => Promise<T>) => Promise.all(WAYS.map(act));
const ended = (row: string) => Promise.allSettled(WAYS.map((way) => handleOf(way, row).result()));

async function startWorker(): Promise<ChildProcess> {
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('address'), TASK_QUEUE_PREFIX: prefix };
  const program = join(ROOT, 'dist/examples/by-hand/worker.js');
  const child = spawn(process.execPath, [program, folder], { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code} before it was ready: ${said}`)));
  });
  return child;
}

async function temporal(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(inject('cliPath'), ['workflow', ...args, '--address', inject('address')]);
  return stdout;
}

const signal = (way: Way, row: string, name: string, input: unknown) => handleOf(way, row).signal(name, input);

/** `start.json` with another invoice, and perhaps other options. */
function planFor(invoice: object, options: object = {}): object {
  const document = structuredClone(START);
  document.plan.input.arguments = invoice;
  return { ...document, options: { ...document.options, ...options } };
}

/** By hand the invoice is the input; here it stands in the plan. */
async function start(way: Way, row: string, invoice: object, options?: object): Promise<void> {
  const [type, queue, input] =
    way === 'hand'
      ? (['payByHand', 'by-hand', invoice] as const)
      : (['planWorkflow', 'planwright', planFor(invoice, options)] as const);
  await client.workflow.start(type, { workflowId: idOf(way, row), taskQueue: `${prefix}${queue}`, args: [input] });
}

/** Until it waits for approval; the digest of the plan that does. */
function opened(way: Way, row: string): Promise<string> {
  return eventually(async () => {
    const status = await handleOf(way, row).query<{ isOpen?: boolean; phase?: string; digest: string }>('status');
    return (status.isOpen ?? status.phase === 'awaiting-approval') && status.digest;
  });
}

/** Starts both; the account that is paid is named after the row and the way. @returns the digest of the plan here */
async function open(row: Row): Promise<string> {
  await both((way) => start(way, row, { to: `${row}-${way}`, amount: 120 }));
  const [, digest] = await both((way) => opened(way, row));
  return digest ?? '';
}

/** Two people approve what they were shown. */
async function approve(row: Row, digest: string, people = PEOPLE): Promise<void> {
  for (const [at, by] of people.entries())
    await both((way) => signal(way, row, 'approve', { by, ...(way === 'here' && { digest, role: PEOPLE[at] }) }));
}

/** What the account was paid, and the state in which Temporal has the run. */
async function seen(way: Way, row: Row, account = `${row}-${way}`): Promise<string> {
  const { status } = await handleOf(way, row).describe();
  const payments = ledger('bank.txt').split('\n');
  const paid = payments.filter((line) => line.startsWith(`${account}: `)).map((line) => line.split(': ')[1]);
  return `${paid.length === 0 ? 'not paid' : `paid ${paid.join(' and ')}`}, ${status.name.toLowerCase()}`;
}

test('the page has a row for each command', () => expect(TOLD).toHaveLength(ROWS.length));

test('a worker that is killed, what people say while there is none, and 10 MB', async () => {
  const [killed = '', edited = '', malformed = ''] = await Promise.all(
    (['kill', 'edit', 'malformed'] as const).map(open),
  );
  write('bank-is-silent', '');
  await approve('kill', killed);
  await expect.poll(() => ledger('bank.txt').match(/^kill-/gm)).toHaveLength(2);
  const gone = new Promise((resolve) => void worker.once('exit', resolve));
  await run('kill', ['-9', String(worker.pid)]);
  await gone;
  remove('bank-is-silent');

  // Both people look at 120 when somebody makes it 1200.
  const plan = { ...planFor({ to: 'edit-here', amount: 1200 }), options: undefined };
  await signal('hand', 'edit', 'edit', { to: 'edit-hand', amount: 1200 });
  await signal('here', 'edit', 'decide', { kind: 'edit', digest: edited, plan, by: 'buyer' });
  await approve('edit', edited);
  for (const wrong of [null, 7, { by: 5 }]) await both((way) => signal(way, 'malformed', 'approve', wrong));
  await approve('malformed', malformed);

  write('delivered.txt', 'flask\n'.padEnd(10_000_000, `${'x'.repeat(99)}\n`));
  await both((way) => start(way, 'large', { to: `large-${way}`, amount: 120 }));
  worker = await startWorker();
  await approve('large', await opened('here', 'large'));

  // The bank's statement tells that it was paid.
  const settle = {
    action: 'resolve',
    node: 'node_4',
    outcome: 'succeeded',
    value: 'paid',
    by: 'operator',
    role: 'operator',
  };
  await eventually(async () => {
    const [item] = await handleOf('here', 'kill').query<{ id: string }[]>('questions');
    expect(item?.id).toMatch(/node_4$/);
    return true;
  });
  await signal('here', 'kill', 'control', settle);
  await ended('kill');
  expect(await both((way) => seen(way, 'kill'))).toEqual(told('kill'));

  await ended('edit');
  expect(await both((way) => seen(way, 'edit'))).toEqual(told('edit'));

  await handleOf('here', 'malformed').result();
  await eventually(async () => {
    const { raw } = await handleOf('hand', 'malformed').describe();
    expect(raw.pendingWorkflowTask?.attempt).toBeGreaterThan(1);
    return true;
  });
  expect(await both((way) => seen(way, 'malformed'))).toEqual(told('malformed'));

  await handleOf('here', 'large').result();
  await eventually(async () => {
    const { raw } = await handleOf('hand', 'large').describe();
    expect(raw.pendingActivities?.[0]?.attempt).toBeGreaterThan(1);
    return true;
  });
  expect(await both((way) => seen(way, 'large'))).toEqual(told('large'));
  write('delivered.txt', 'flask\n');
});

test('a reset', async () => {
  await approve('reset', await open('reset'));
  await ended('reset');
  await both((way) => temporal('reset', '-w', idOf(way, 'reset'), '--type', 'FirstWorkflowTask', '--reason', 'again'));
  await ended('reset');
  expect(await both((way) => seen(way, 'reset'))).toEqual(told('reset'));
});

test('two reviewers with one name', async () => {
  await approve('name', await open('name'), ['operator', ' Operator']);
  await handleOf('hand', 'name').result();
  await opened('here', 'name');
  expect(await both((way) => seen(way, 'name'))).toEqual(told('name'));
});

test('three questions, of which one is answered with what is no number', async () => {
  const names = ['beakers', 'flasks', 'funnels'];
  const ask = (question: string) => ({
    context_key: question,
    capability: 'ask',
    task_objective: `Ask for the ${question}`,
    parameters: { question: `How many ${question}?`, schema: { type: 'number' } },
  });
  const print = { context_key: 'print', capability: 'receipt', task_objective: 'Print the numbers', inputs: names };
  const plan = { goal: 'Count', steps: [...names.map(ask), print] };
  const document = { plan, options: { approval: { rules: [{ effect: 'at-most-once' }] } } };
  const options = (way: Way, queue: string) => ({ workflowId: idOf(way, 'questions'), taskQueue: prefix + queue });
  await client.workflow.start('askByHand', { ...options('hand', 'by-hand'), args: [names] });
  await client.workflow.start('planWorkflow', { ...options('here', 'planwright'), args: [document] });
  const ids = await eventually(async () => {
    const items = await handleOf('here', 'questions').query<{ id: string }[]>('questions');
    expect(items).toHaveLength(3);
    return items.map(({ id }) => id).toSorted();
  });
  const answer = (way: Way, at: number, value: unknown) =>
    signal(way, 'questions', 'answer', { question: (way === 'hand' ? names : ids)[at], value, by: 'operator' });
  const printed: unknown[] = [];
  for (const way of WAYS) {
    await answer(way, 2, 3);
    await answer(way, 1, 'many');
    await answer(way, 0, 1);
    // By hand these were all; here one question is still open.
    if (way === 'here') await answer(way, 1, 2);
    await handleOf(way, 'questions').result();
    printed.push(ledger('printer.txt').trim().split('\n').at(-1));
  }
  await expect(answer('hand', 1, 2)).rejects.toThrow('already completed');
  expect(printed).toEqual(told('questions'));
});

test('going on from a killed run', async () => {
  write('printer-is-off', '');
  await approve('rerun', await open('rerun'));
  await expect.poll(() => ledger('bank.txt').match(/^rerun-/gm)).toHaveLength(2);
  // The payment is done when the printer is waited for.
  await eventually(async () => {
    const pending = await both(async (way) => (await handleOf(way, 'rerun').describe()).raw.pendingActivities?.[0]);
    expect(pending.map((one) => one?.activityType?.name)).toEqual(['writeReceipt', 'runTask']);
    const [, print] = pending;
    expect(print?.activityId).toBe('node_5');
    return true;
  });
  await both((way) => temporal('terminate', '-w', idOf(way, 'rerun')));
  remove('printer-is-off');
  const again = 'rerun-again';
  await both((way) => start(way, again, { to: `rerun-${way}`, amount: 120 }, { reuse: idOf('here', 'rerun') }));
  await opened('hand', again);
  for (const by of PEOPLE) await signal('hand', again, 'approve', { by });
  await ended(again);
  expect(await both((way) => seenAgain(way))).toEqual(told('rerun'));

  async function seenAgain(way: Way): Promise<string> {
    const { status } = await handleOf(way, again).describe();
    const [paid = ''] = (await seen(way, 'rerun')).split(',');
    return `${paid}, ${status.name.toLowerCase()}`;
  }
});

test('markup in what is approved', async () => {
  const invoice = { to: '[aspen](https://example.com) **approved**', amount: 120 };
  await both((way) => start(way, 'markup', invoice));
  await both((way) => opened(way, 'markup'));
  const details = await both((way) => temporal('metadata', '-w', idOf(way, 'markup'), '-o', 'json'));
  expect(details.every((text) => text.includes('aspen'))).toBe(true);
  const isLink = details.map((text) => /(?<!\\)\[aspen(?!\\)/.test(text));
  expect(isLink.map((is) => (is ? 'a link, in bold "approved"' : 'the text as it is'))).toEqual(told('markup'));
});

test('an invoice as a model writes it', async () => {
  const invoice = { recipient: 'aspen', amount: '120 EUR' };
  await start('here', 'model', invoice);
  await expect(handleOf('here', 'model').result()).rejects.toMatchObject({ cause: { type: 'InvalidPlan' } });
  const here = await seen('here', 'model', 'undefined');
  await start('hand', 'model', invoice);
  await opened('hand', 'model');
  for (const by of PEOPLE) await signal('hand', 'model', 'approve', { by });
  await handleOf('hand', 'model').result();
  expect([await seen('hand', 'model', 'undefined'), here]).toEqual(told('model'));
});
