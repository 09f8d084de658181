/** More than a page takes, of everything that it bounds: counted, cut with a word, or left to another page. */

import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Plans } from '../../src/operations/index.ts';
import type { OpenItem } from '../../src/protocol/index.ts';
import { fieldOf } from '../../src/operations/words/index.ts';
import { createInbox, hasPlanner } from '../../src/page/inbox.ts';
import { inboxPage } from '../../src/page/view/overview.ts';
import { runParts } from '../../src/page/view/run.ts';
import { encodeResult, refOfBytes, type Result } from '../../src/store/index.ts';
import { compiled, nodesOf, seenOf, treePlan, waitingOf } from './scenes.ts';
import { stageOf } from './stage.ts';
import { plainOf } from './visitor.ts';

afterEach(() => void vi.useRealTimers());

const many = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));

function itemOf(at: number, over: Partial<OpenItem> = {}): OpenItem {
  const [first] = waitingOf(treePlan(1)).open;
  const own = { id: `i${at}`, workflowId: `r${at}`, text: `T${at}?`, effects: [] };
  const { roles: _roles, asks: _asks, ...rest } = { ...first!, nodes: [], nodeCount: 0, digest: 'd'.repeat(64) };
  return { ...rest, ...own, ...over };
}

test('of 61 nodes that wait the effects alone can be chosen', async () => {
  const boxes = async (tasks: number) => {
    const parts = await runParts(waitingOf(treePlan(tasks, (at) => at <= 2)), (one) => one);
    return String(parts.get('waits')).match(/name="nodes"/g)?.length;
  };
  expect([await boxes(30), await boxes(31)]).toEqual([59, 2]);
});

test('of 41 fields, four levels or 101 values an answer is typed as JSON', () => {
  const object = (properties: object) => ({ type: 'object', properties });
  const fields = (count: number) => object(Object.fromEntries(many(count, (at) => [`f${at}`, { type: 'string' }])));
  expect([40, 41].map((count) => fieldOf({ schema: fields(count) }).kind)).toEqual(['group', 'json']);
  const deep = many(4, (at) => at).reduce((inner: object) => object({ a: inner }), { type: 'string' });
  expect(JSON.stringify(fieldOf({ schema: deep as never })).match(/"kind":"(?:group|json)"/g)).toEqual([
    ...many(3, () => '"kind":"group"'),
    '"kind":"json"',
  ]);
  expect([100, 101].map((count) => fieldOf({ schema: { enum: many(count, (at) => at) } }).kind)).toEqual([
    'choice',
    'json',
  ]);
});

/** A reader of an inbox of a server that answers so. */
function readerOf(inbox: unknown, run: () => Promise<unknown>) {
  const session = async () => ({ plans: { inbox } });
  const plans = { typed: (command: string) => command, project: async () => undefined, session, run };
  return createInbox(plans as unknown as Plans);
}

/** An inbox of so many groups, each of so many runs, with silent runs beside them. */
function inboxOf(groups: number, runs: number) {
  let asked = 0;
  const inbox = async ({ limit }: { readonly limit: number }) => {
    asked += 1;
    const all = many(groups, (at) => itemOf(at));
    const each = many(runs, (at) => ({ workflowId: `w${at}`, revision: 1 }));
    const items = many(groups * runs, (at) => all[at % groups]!);
    return {
      items: items.slice(0, limit),
      more: Math.max(0, items.length - limit),
      groups: all.slice(0, limit).map((first) => ({ first, count: runs, runs: each })),
      unreachable: many(6, (at) => ({ workflowId: `silent-${at}`, reason: 'no worker' })),
      notAsked: 0,
    };
  };
  return { reader: readerOf(inbox, async () => undefined), asked: () => asked };
}

test('of 501 things that wait 500 are shown, and 5 silent runs are named', async () => {
  const { reader } = inboxOf(501, 1);
  const { waits, missing, count } = await reader.read();
  expect([waits.length, count]).toEqual([500, 501]);
  expect(missing).toEqual([
    expect.stringMatching(/^1 more wait, /),
    expect.stringMatching(/silent-4 \(no worker\) and 1 more runs$/),
  ]);
});

test('an inbox is read once for all who come within two seconds, or while it is read', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { reader, asked } = inboxOf(1, 1);
  await Promise.all(many(200, () => reader.read()));
  vi.advanceTimersByTime(2000);
  await reader.read();
  expect(asked()).toBe(1);
  vi.advanceTimersByTime(1);
  await reader.read();
  expect(asked()).toBe(2);
  reader.renew();
  await reader.read();
  expect(asked()).toBe(3);
});

test('of runs of equal plans the inbox says what is so in some of them alone', async () => {
  const runs = ['r1', 'r2'];
  const items = runs.map((workflowId, at) =>
    itemOf(0, { workflowId, context: ['account: "shop"', `batch: ${at}`], ...(at === 1 && { approvedBy: ['ann'] }) }),
  );
  const inbox = async () => ({
    items,
    more: 0,
    groups: [{ first: items[0]!, count: 2, runs: runs.map((workflowId) => ({ workflowId, revision: 1 })) }],
    unreachable: [],
    notAsked: 0,
  });
  const waits = await readerOf(inbox, () => Promise.reject(new Error('no run'))).read();
  const boxes = [...String(inboxPage(waits)).matchAll(/<label>([^]*?)<\/label>/g)].map(([, label]) => plainOf(label!));
  expect(boxes.slice(0, 2)).toEqual([
    expect.stringMatching(/ r1 batch: 0 $/) as string,
    expect.stringMatching(/ r2 batch: 1, approved by ann $/) as string,
  ]);
});

test.each([
  [undefined, true],
  [{ planner: {} }, false],
  [{ planner: {}, model: {} }, true],
  [{ planner: { model: {} } }, true],
])('with the project %j another plan is asked for on the page: %s', async (project, isOffered) => {
  const plans = { project: async () => project } as unknown as Plans;
  const seen = waitingOf(treePlan(1));
  const parts = await runParts(seen, (one) => one, await hasPlanner(plans));
  expect(String(parts.get('waits')).includes('value="revise"')).toBe(isOffered);
  // It is edited by hand all the same.
  expect(String(parts.get('waits'))).toContain(`href="/runs/${seen.workflowId}/edit"`);
});

test.each([
  [1, '>1<', '1 record'],
  [6_000_000, '>6M<', '6,000,000 records'],
])('a set of %i is counted on its line and in its row', async (count, drawn, told) => {
  const plan = treePlan(2, () => false);
  const nodes = nodesOf(plan, () => ({
    status: 'succeeded',
    result: { ref: 'r', kind: 'set', count, bytes: 60_000_000 },
  }));
  const parts = await runParts(seenOf(plan, nodes), (one) => one);
  expect([String(parts.get('plan')), String(parts.get('outline'))]).toEqual([
    expect.stringContaining(drawn) as string,
    expect.stringContaining(told) as string,
  ]);
});

describe('a stored result', () => {
  /** A run whose node gave this, and whose plan reads it as context. */
  async function given(result: Result, count: number) {
    const encoded = encodeResult(result);
    if (!encoded.ok) throw new Error(encoded.message);
    const { bytes } = encoded;
    const ref = refOfBytes(bytes);
    const steps = [{ context_key: 'a', task_objective: 'Read it', capability: 'genes', inputs: ['all'] }];
    const plan = compiled({ goal: 'Read', steps }, { all: ref });
    const handle = { ref, kind: result.kind, count, bytes: bytes.length };
    const nodes = nodesOf(plan, () => ({ status: 'succeeded', result: handle }));
    const objects = new Map([[ref, bytes]]);
    const gets = vi.spyOn(objects, 'get');
    const stage = await stageOf(seenOf(plan, nodes), objects);
    onTestFinished(() => stage.close());
    const ask = (path: string) => fetch(`${stage.origin}/runs/${seenOf(plan).workflowId}/${path}`);
    const read = async (path: string) => {
      const answer = await ask(path);
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
    return { read, ask, bytes, reads: () => gets.mock.calls.filter(([one]) => one === ref).length };
  }
  const MOST = 2_097_152;
  const around = Buffer.from('{"format":"planwright-result/1","kind":"text","text":""}\n').length;

  test('of 2 MiB is shown; a byte more is told of, and taken away as it is stored', async () => {
    const fits = await given({ kind: 'text', text: 'x'.repeat(MOST - around) }, MOST - around);
    expect(fits.bytes).toHaveLength(MOST);
    expect((await fits.read('result?node=node_1')).text).toContain('xxx');
    const before = fits.reads();
    expect((await fits.read('result?context=all')).text).toContain('xxx');
    expect(fits.reads() - before).toBe(1);
    const large = await given({ kind: 'text', text: 'x'.repeat(MOST - around + 1) }, MOST - around + 1);
    for (const part of ['node=node_1', 'context=all']) {
      const { status: code, text } = await large.read(`result?${part}`);
      expect([code, text.includes('xxx')]).toEqual([200, false]);
      expect(plainOf(text)).toMatch(
        /It is not shown: it has 2,097,153 bytes, .* type `result plan-of\S+ --(node node_1|context all) --format json`/,
      );
      const [, path = ''] = /href="[^"]*\/(result\.stored[^"]*)"/.exec(text) ?? [];
      const stored = await large.read(path);
      expect(stored.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+stored.json"$/);
      expect(stored.headers.get('content-length')).toBe(`${MOST + 1}`);
      expect(Buffer.from(large.bytes).equals(Buffer.from(stored.text))).toBe(true);
    }
  });

  test('as a table has no cell that a spreadsheet runs, and as a list of ids is what it is', async () => {
    const { createSet } = await import('../../src/plan/algebra/index.ts');
    const ids = [
      '=HYPERLINK("https://evil.test")',
      '@SUM(A1)',
      '+1|cmd',
      '-2+3',
      ' =A1',
      '＝A1',
      '-5',
      '+.5',
      'g=1',
      'g1',
    ];
    const records = ids.map((id) => ({ id, location: { sequence: '=A1', start: 1, stop: 2, strand: -1 as const } }));
    const { read } = await given({ kind: 'set', set: createSet(records) }, records.length);
    const lines = (text: string) => text.trimEnd().split('\n').toSorted();
    const cells = ids.map((id, at) => `${at < 6 ? "'" : ''}${id}\t'=A1\t1\t2\t-`);
    const { text: table } = await read('result.tsv?node=node_1');
    expect(lines(table)).toEqual(['id\tsequence\tstart\tstop\tstrand', ...cells].toSorted());
    expect(lines((await read('result.ids?node=node_1')).text)).toEqual(lines(ids.join('\n')));
  });

  test('of more than 2 MiB is made no file of, and the command that makes one is told', async () => {
    const { createSet } = await import('../../src/plan/algebra/index.ts');
    const records = many(100_000, (at) => ({ id: `${'gene'.repeat(10)}${at}` }));
    const { read } = await given({ kind: 'set', set: createSet(records) }, records.length);
    const { status: code, text } = await read('result.tsv?node=node_1');
    expect([code, plainOf(text)]).toEqual([422, expect.stringMatching(/type `result \S+ --node node_1 --format tsv`/)]);
  });

  test('is taken away by six at once; the next one is told so until one of them is gone', async () => {
    const { read, ask, bytes } = await given({ kind: 'text', text: 'x'.repeat(8 * MOST) }, 8 * MOST);
    const unread = await Promise.all(many(6, () => ask('result.stored?node=node_1')));
    expect((await read('result?node=node_1')).status).toBe(200);
    const { status: code, text } = await read('result.stored?node=node_1');
    expect([code, plainOf(text)]).toEqual([503, expect.stringContaining('6 large results are being taken away')]);
    await unread[0]!.body!.cancel();
    await expect.poll(async () => (await ask('result.stored?node=node_1')).status).toBe(200);
    expect((await unread[1]!.arrayBuffer()).byteLength).toBe(bytes.length);
    for (const one of unread.slice(2)) await one.body!.cancel();
  });
});
