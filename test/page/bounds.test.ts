/** More than a page takes, of everything that it bounds: counted, cut with a word, or left to another page. */

import { afterEach, expect, test, vi } from 'vitest';
import type { Plans } from '../../src/operations/index.ts';
import type { OpenItem } from '../../src/protocol/index.ts';
import { compilePlan, type CompiledPlan } from '../../src/plan/index.ts';
import { fieldOf } from '../../src/operations/words/index.ts';
import { createInbox } from '../../src/page/inbox.ts';
import { html } from '../../src/page/markup.ts';
import { sideBySide } from '../../src/page/view/changes.ts';
import { issueList } from '../../src/page/view/issues.ts';
import { nodesPage } from '../../src/page/view/lists.ts';
import { outlineParts } from '../../src/page/view/outline.ts';
import { resultPage } from '../../src/page/view/result.ts';
import { effectsOf, runPage, runParts } from '../../src/page/view/run.ts';
import { treeOf } from '../../src/page/view/tree.ts';
import { waitCard } from '../../src/page/view/waits.ts';
import type { Seen } from '../../src/page/watch.ts';
import { status } from '../client/follow/fake-run.ts';
import { plainOf } from './visitor.ts';

afterEach(() => void vi.useRealTimers());

const many = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));
const told = (piece: unknown) => plainOf(String(html`${piece as string}`));

function stepsOf(count: number, over: (at: number) => object = () => ({})): CompiledPlan {
  const steps = many(count, (at) => ({
    context_key: `s${at}`,
    task_objective: `T${at}`,
    capability: 'x',
    ...over(at),
  }));
  return compiled({ goal: 'Many', steps });
}

/** Tasks that each take the next. */
function chain(count: number): CompiledPlan {
  type Task = Readonly<Record<string, unknown>>;
  const plan = many(count, (at) => at).reduce<Task | undefined>(
    (input, at) => ({ task: `T${at}`, capability: 'x', arguments: { at }, ...(input && { input }) }),
    undefined,
  );
  return compiled({ goal: 'Deep', plan });
}

/** So many tasks, joined two by two. */
function tree(tasks: number): CompiledPlan {
  let at = 0;
  const node = (count: number): object =>
    count === 1
      ? { task: `T${(at += 1)}`, capability: 'x' }
      : { operator: 'UNION', left: node(Math.ceil(count / 2)), right: node(Math.floor(count / 2)) };
  return compiled({ goal: 'Wide', plan: node(tasks) });
}

function compiled(document: unknown): CompiledPlan {
  const read = compilePlan(document);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.plan;
}

const nodesOf = (count: number, effect: 'read' | 'at-most-once' = 'read') =>
  many(count, (at) => ({
    ...{ id: `node_${at + 1}`, status: 'pending' as const, summary: `T${at}`, executor: 'capability x@1', effect },
  }));

function itemOf(at: number, over: Partial<OpenItem> = {}): OpenItem {
  const send = { name: 'approve', input: {} };
  const times = { since: '2026-01-01T00:00:00Z', deadline: '2026-01-02T00:00:00Z' };
  const plan = { digest: 'd'.repeat(64), revision: 1, nodes: [], nodeCount: 0 };
  return {
    ...times,
    ...plan,
    kind: 'approval',
    id: `i${at}`,
    workflowId: `r${at}`,
    text: `T${at}?`,
    send,
    ...over,
  } as never;
}

function seenOf(over: Partial<Seen>): Seen {
  const none = { nodes: [], open: [], attempts: [], feedback: [], agents: [], steps: [] };
  return { workflowId: 'run-1', status: status({ digest: 'd'.repeat(64) }), ...none, ...over };
}
const runText = (over: Partial<Seen>) => told(runPage(runParts(seenOf(over), (command) => command)));

test('of 51 waits of a run 50 are shown', () => {
  expect(runText({ open: many(51, (at) => itemOf(at)) })).toContain('and 1 more wait');
});

test('of 21 things under way 20 are shown', () => {
  const attempts = many(21, (at) => ({
    id: `node_${at}`,
    attempt: 1,
    state: 'is carried out',
    failures: 0,
    others: 0,
  }));
  expect(runText({ attempts: attempts as never })).toContain('and 1 more under way');
});

test('of 101 effects of an approval 100 are shown, and the rest is warned of', () => {
  const above = effectsOf(nodesOf(101, 'at-most-once'), undefined);
  expect([above.effects.length, above.more]).toEqual([100, 1]);
  const wait = { item: itemOf(1), runs: ['r1'], ...above, nodes: [], command: '' };
  expect(told(waitCard(wait))).toContain('and 1 more effect; look at all nodes');
});

test('of 61 nodes that wait the effects alone can be chosen', () => {
  const open = [itemOf(1, { workflowId: 'run-1' })];
  const boxes = (count: number) => {
    const parts = runParts(seenOf({ open, nodes: [...nodesOf(count), ...nodesOf(2, 'at-most-once')] }), (one) => one);
    return String(parts.get('waits')?.html()).match(/name="nodes"/g)?.length;
  };
  expect([boxes(58), boxes(59)]).toEqual([60, 2]);
});

test('of 21 runs of equal plans a card names 20, and addresses all', () => {
  const runs = many(21, (at) => `r${at}`);
  const card = waitCard({ item: itemOf(1), runs, effects: [], more: 0, context: [], nodes: [], command: '' });
  expect(told(card)).toContain('and in 1 more run');
  expect(String(card)).toContain('type="hidden" name="run" value="r20"');
});

test('of 201 nodes a page has 200, and a link to the rest', () => {
  const page = nodesPage({ workflowId: 'run-1', nodes: nodesOf(201), search: '', from: undefined });
  expect(String(page).match(/<li id="n-/g)).toHaveLength(200);
  expect(String(page)).toMatch(/from=node_201">those after/);
});

test('of 201 records a page has 200, and a link to the rest', () => {
  const records = many(201, (at) => ({ id: `g${at}` }));
  const result = { ok: true, kind: 'set', recordType: 'gene', count: 201, records } as const;
  const page = String(resultPage({ workflowId: 'run-1', part: {}, from: 0, result }));
  expect(page.match(/<tr>/g)).toHaveLength(201);
  expect(page).toContain('?from=200">those after');
});

test('of a text of 100,001 characters the page tells that it is cut', () => {
  const result = { kind: 'text', text: 'x'.repeat(100_001) } as const;
  const page = told(resultPage({ workflowId: 'run-1', part: {}, from: 0, result }));
  expect(page).toContain('cut here; the whole has 100,001 characters');
});

test('of 201 changes 200 are shown', () => {
  const page = sideBySide(
    stepsOf(201),
    stepsOf(201, (at) => ({ parameters: { at } })),
  );
  expect(told(page)).toMatch(/and? ?[12] more changes?|[12] more changes?;/);
});

test('of 101 issues 100 are shown, and a line of 301 characters is cut', () => {
  const issue = { code: 'not-a-node', severity: 'error', path: '$', message: 'wrong', line: 1 } as const;
  const page = told(issueList({ document: 'x'.repeat(301), issues: many(101, () => issue), seen: [] }));
  expect(page).toContain('and 1 more issue');
  expect(page).toMatch(/ x{299}… /);
});

test('of 61 nodes the rows have no words, of 201 some are folded, of 1,001 those are a link', () => {
  const shown = (count: number) =>
    String(outlineParts({ workflowId: 'run-1', nodes: nodesOf(count), plan: chain(count) })?.whole.html());
  expect([shown(60), shown(61)].map((text) => text.includes('class="words"'))).toEqual([true, false]);
  expect([shown(200), shown(201), shown(1001)].map((text) => text.includes('<details id="f-'))).toEqual([
    false,
    true,
    false,
  ]);
  expect(shown(1001)).toMatch(/nodes\?from=node_\d+">/);
});

test('a plan of 13 levels, or of 91 boxes, is not drawn', () => {
  const drawn = (plan: CompiledPlan) => treeOf({ plan, nodes: [] }) !== '';
  expect([chain(12), chain(13), tree(45), tree(46)].map(drawn)).toEqual([true, false, true, false]);
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

/** An inbox of so many groups, each of so many runs, with silent runs beside them. */
function inboxOf(groups: number, runs: number) {
  let asked = 0;
  let shown = 0;
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
  const run = async () => {
    shown += 1;
    const plan = { digest: 'd'.repeat(64), revision: 1, ref: '', text: '' };
    return {
      run: { view: async () => ({ plan, nodes: [], open: [] }) },
      store: { place: 'here', get: async () => new Uint8Array() },
    };
  };
  const plans = { typed: (command: string) => command, session: async () => ({ plans: { inbox } }), run };
  return { reader: createInbox(plans as unknown as Plans), asked: () => asked, shown: () => shown };
}

test('of 501 things that wait 500 are shown, the effects of 50 with their values, and 5 silent runs are named', async () => {
  const { reader, shown } = inboxOf(501, 1);
  const { waits, missing, count } = await reader.read();
  expect([waits.length, count, shown()]).toEqual([500, 501, 50]);
  expect(missing).toEqual([
    expect.stringMatching(/^1 more wait, /),
    expect.stringMatching(/silent-4 \(no worker\) and 1 more runs$/),
  ]);
});

test('of 501 runs of equal plans 500 are addressed, and the rest is counted', async () => {
  const { waits, missing } = await inboxOf(1, 501).reader.read();
  expect(waits.map(({ runs }) => runs.length)).toEqual([500]);
  expect(missing[0]).toMatch(/^1 more wait, /);
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
