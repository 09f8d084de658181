/** The page, served by the program over real runs, to people who mean well and to others. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configOf, serving } from './serving.ts';
import { formIn, plainOf } from './visitor.ts';

const here = serving(configOf('page'));
let runs = 0;

const orderOf = (amount: number, over: object = {}) => ({
  goal: 'Order primers',
  steps: [
    { context_key: 'primers', capability: 'order', task_objective: 'Order', parameters: { item: 'primers', amount } },
  ],
  ...over,
});

async function waiting(plan: unknown = orderOf(12), ...flags: readonly string[]): Promise<string> {
  const id = `${here.project.taskQueue}-${++runs}`;
  await here.project.detach(plan, '--workflow-id', id, ...flags);
  await here.project.until(id, ({ waitingFor }) => waitingFor > 0);
  return id;
}

/** The value of a hidden field of a page. */
const fieldIn = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';
describe('a page left open', () => {
  test('over an edit is told what has changed, and approves nothing', async () => {
    const id = await waiting();
    const open = await here.visitor.read(`/runs/${id}`);
    const digest = fieldIn(open.text, 'digest');
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(join(here.project.folder, 'other.json'), JSON.stringify(orderOf(9000)));
    const plan = join(here.project.folder, 'other.json');
    await here.project.type(...`edit ${id} --digest ${digest} --plan ${plan} --by mallory`.split(' '));

    const { status, text } = await here.visitor.say('/me', '/say', {
      run: id,
      does: 'approve',
      digest,
      by: 'operator',
    });
    expect(status).toBe(409);
    expect(plainOf(text)).toMatch(/STALE/);
    expect(plainOf(text)).toMatch(/What has changed since you looked .* amount 12 .* amount 9000/);
    expect(await here.project.json('status', id)).toMatchObject({
      phase: 'awaiting-approval',
      counts: { succeeded: 0 },
    });
    // The page as it is now shows what would run.
    expect(plainOf((await here.visitor.read(`/runs/${id}`)).text)).toMatch(/once only .* amount 9000/);
  });
});

test('equal plans are one thing to answer, and each run hears it', async () => {
  const plan = {
    goal: `Count ${here.project.taskQueue}`,
    steps: [{ context_key: 'g', capability: 'genes', task_objective: 'Find', parameters: { region: 'south' } }],
  };
  const ids = [await waiting(plan), await waiting(plan), await waiting(plan)];
  const { text } = await here.visitor.read('/');
  const [, row = ''] = new RegExp(`href="(/\\?item=${ids[0]}[^"]*)"`).exec(text) ?? [];
  const { text: card } = await here.visitor.read(row);
  expect(card).toContain('Approve in 3 runs');
  for (const id of ids) expect(card).toContain(`checked name="run" value="${id}"`);
  const told = await here.visitor.say('/', '/say', { run: ids, does: 'approve', digest: fieldIn(card, 'digest') });
  expect(plainOf(told.text).match(/: approved/g)).toHaveLength(3);
  for (const id of ids) await here.project.until(id, ({ outcome }) => outcome === 'done');
  expect((await here.visitor.read('/')).text).not.toContain(ids[0]);
});

test('the whole of a long value of context is read before an approval, and taken away', async () => {
  const account = `${'x'.repeat(300)}<b>`;
  const file = join(here.project.folder, 'context.json');
  writeFileSync(file, JSON.stringify({ account }));
  const steps = orderOf(12).steps.map((step) => ({ ...step, inputs: ['account'] }));
  const id = await waiting(orderOf(12, { steps }), '--context', file);
  const there = `/runs/${id}/result?context=account`;
  const page = (await here.visitor.read(`/runs/${id}`)).text;
  expect([page.includes(`href="${there}"`), page.includes(account.slice(0, 300))]).toEqual([true, false]);
  expect((await here.visitor.read(there)).text).toContain(`${account.slice(0, 300)}&lt;b&gt;`);
  const { status, text, headers } = await here.visitor.read(`/runs/${id}/result.json?context=account`);
  expect([status, JSON.parse(text)]).toEqual([200, account]);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${id}-account.json"`);
  const other = await here.visitor.read(`/runs/${id}/result?context=none`);
  expect([other.status, plainOf(other.text)]).toEqual([404, expect.stringContaining('it reads "account"') as string]);
});

test('a result is taken away in each form, and is never a page', async () => {
  const plan = {
    goal: 'Find',
    steps: [{ context_key: 'g', capability: 'genes', task_objective: 'Find', parameters: { region: '<script>' } }],
  };
  const id = await waiting(plan);
  await here.visitor.say(`/runs/${id}`, '/say', {
    run: id,
    does: 'approve',
    digest: fieldIn((await here.visitor.read(`/runs/${id}`)).text, 'digest'),
  });
  await here.project.until(id, ({ outcome }) => outcome === 'done');
  for (const [format, begins] of [
    ['bed', 'chr1\t999\t1500\t'],
    ['gff3', '##gff-version 3'],
    ['tsv', 'id\tsequence\t'],
    ['ids', '<script>-gene-1\n'],
    ['json', '{\n  "ok": true'],
  ] as const) {
    const { status, text, headers } = await here.visitor.read(`/runs/${id}/result.${format}?node=g`);
    expect([format, status, text.slice(0, begins.length)]).toEqual([format, 200, begins]);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
    expect(headers.get('content-type')).toMatch(/^(?:text\/plain|application\/json)/);
  }
  expect((await here.visitor.read(`/runs/${id}/result?node=g`)).text).toContain('&lt;script&gt;-gene-1');
});

describe('an id', () => {
  test.each([
    ['that no run has', 'no-such-run'],
    ['of dots', '~..'],
    ['that climbs', '..%2F..%2Fetc%2Fpasswd'],
    ['of markup', '%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ['with a line break', 'a%0Ab'],
    ['with a quote for the visibility store', "a'%20OR%20'1'='1"],
    ['of another namespace, as people write it', 'other%2Fplan-1'],
    ['longer than the server takes', 'x'.repeat(2000)],
    ['with half an escape', 'a%'],
    ['that is no UTF-8', '%ff%fe'],
  ])('%s finds nothing, and changes nothing', async (_what, id) => {
    const { status, text } = await here.visitor.read(`/runs/${id}`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(text).toContain('It could not be done');
    expect(text).not.toContain('<script>alert');
    for (const path of ['nodes', 'nodes/node_1', 'trace', 'rounds', 'edit', 'result', 'result.bed', 'live']) {
      const found = await here.visitor.read(`/runs/${id}/${path}`);
      expect([path, found.status >= 400]).toEqual([path, true]);
    }
  });
});

describe('a form that asks for what cannot be', () => {
  test.each<[what: string, fields: Readonly<Record<string, string | string[]>>, told: RegExp]>([
    ['another plan of a planner that writes the same', { does: 'revise', feedback: 'more' }, /./],
    [
      'an answer that nobody asked for',
      { does: 'answer', question: '3fa9c1d2.node_1', value: 'x' },
      /unknown-question|no open question|no question/i,
    ],
    ['a node that is not in the plan', { does: 'approve-part', nodes: ['node_7'] }, /node_7/],
    ['a node by an argument', { does: 'cancel-node', node: '--help' }, /--help/],
    ['a node to retry that has not run', { does: 'retry-node', node: 'node_1' }, /node_1/],
    ['a resolution without an outcome', { does: 'resolve', node: 'node_1' }, /outcome/],
    [
      'a resolution of a node that does not wait for one',
      { does: 'succeeded', node: 'node_1' },
      /only a node that waits to be settled/,
    ],
    ['a killing without a reason', { does: 'kill' }, /why/i],
    ['an edit into nothing', { does: 'edit', plan: '{' }, /plan/],
    [
      'an edit into another shape',
      { does: 'edit', plan: '{"goal":"x","plan":{"task":"y","capability":"telescope"}}' },
      /telescope/,
    ],
    ['a comment without end', { does: 'approve', comment: 'x'.repeat(20_000) }, /comment/],
    ['a digest of no digits', { does: 'approve', digest: 'latest' }, /digest/],
    ['a digest of another plan', { does: 'approve', digest: 'f'.repeat(64) }, /STALE/],
  ])('%s is told what', async (what, fields, told) => {
    const id = await waiting(orderOf(12, { goal: `Order for ${what}` }));
    const digest = fieldIn((await here.visitor.read(`/runs/${id}`)).text, 'digest');
    const { text } = await here.visitor.say('/me', '/say', { run: id, digest, by: 'operator', ...fields });
    expect(plainOf(text)).toMatch(told);
    expect((await here.project.json('status', id))['counts']).toMatchObject({ succeeded: 0 });
  });
});

describe('a new plan', () => {
  test('is shown with its issues beside their lines, and starts nothing', async () => {
    const document =
      '{\n  "goal": "Order",\n  "plan": {\n    "task": "Order",\n    "capability": "telescope"\n  }\n}\n';
    const { status, text } = await here.visitor.say('/new', '/new', { document });
    expect(status).toBe(200);
    expect(text).toMatch(
      /<li value="5">\s*<code> {4}&quot;capability&quot;: &quot;telescope&quot;<\/code>\s*<p class="issue error">/,
    );
    expect(text).not.toContain('value="start"');
    const refused = await here.visitor.say('/new', '/new/start', { document });
    expect([refused.status, refused.text.includes('telescope')]).toEqual([422, true]);
  });
});

test('a plan is edited as it was written, and in its notation when a value changes', async () => {
  const step = ['  - context_key: primers', '    capability: order', '    task_objective: Order', '    parameters:'];
  const document = ['# Kept', 'goal: Order primers', 'steps:', ...step, '      item: gel', '      amount: 12'].join(
    '\n',
  );
  const workflowId = `${here.project.taskQueue}-yaml`;
  await here.visitor.say('/new', '/new/start', { document, workflowId });
  await here.project.until(workflowId, ({ waitingFor }) => waitingFor > 0);
  const path = `/runs/${workflowId}/edit`;
  // What the page knows of a run may be older than what the run says.
  await expect.poll(async () => (await here.visitor.read(`/runs/${workflowId}`)).text).toContain('class="wait');
  const { text } = await here.visitor.read(path);
  expect(text).toMatch(/>\n# Kept\ngoal: Order primers\n/);
  const digest = fieldIn((await here.visitor.read(`/runs/${workflowId}`)).text, 'digest');
  // Arguments are stored in the order of their names.
  const values = { 'value.0.0': '24', 'value.0.1': 'gel' };
  const changed = await here.visitor.say(path, path, { digest, node: 'node_1', ...values });
  expect(changed.text).toMatch(/\n {6}amount: 24\n {6}item: gel\n/);
  expect(plainOf(changed.text)).toMatch(/What changes .* amount 12 .* amount 24/);
  // Its own edit is told apart from one that somebody else has put in its place.
  const { text: edited } = await here.visitor.say(path, '/say', { ...formIn(changed.text, 'edit'), does: 'edit' });
  expect(edited).toContain('What your change does');
  const [file, mine] = [join(here.project.folder, 'theirs.json'), fieldIn(edited, 'digest')];
  writeFileSync(file, JSON.stringify(orderOf(9000)));
  await here.project.type(...`edit ${workflowId} --digest ${mine} --plan ${file} --by mallory`.split(' '));
  await expect.poll(async () => (await here.visitor.read(path)).text).toContain('9000');
  expect((await here.visitor.read(`/runs/${workflowId}`)).text).toContain('The plan has changed since you looked');
});

describe('planwright serve refuses', () => {
  test.each<[what: string, args: readonly string[], told: RegExp]>([
    [
      'an address of others',
      ['--host', '0.0.0.0'],
      /nobody would be asked who they are: add --token FILE, or --proxy-header/,
    ],
    ['every address', ['--host', '::'], /add --token FILE/],
    ['a header without who may send it', ['--host', '0.0.0.0', '--proxy-header', 'X-User'], /go together/],
    ['an origin with a path', ['--origin', 'https://plans.example.org/page'], /without a path/],
    ['an origin that is none', ['--origin', 'plans.example.org'], /expected an address such as https/],
    ['a token that is not there', ['--token', 'no-such-file'], /there is no token no-such-file; make one with/],
    ['an address that this machine does not have', ['--host', '192.0.2.1', '--token', 'TOKEN'], /cannot listen there/],
  ])('%s', async (_what, args, told) => {
    const token = join(here.project.folder, 'page.token');
    writeFileSync(token, `${'t'.repeat(40)}\n`, { mode: 0o600 });
    const typed = await here.project.type(
      'serve',
      '--port',
      '0',
      ...args.map((arg) => (arg === 'TOKEN' ? token : arg)),
    );
    expect([typed.code, typed.stderr]).toEqual([2, expect.stringMatching(told) as string]);
  });
});
