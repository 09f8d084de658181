/** A plan on the page: small enough to be sent, folded where it is large, drawn, its effects and its failures in full. */

import { describe, expect, test } from 'vitest';
import { valuesOf, type CompiledPlan } from '../../src/plan/index.ts';
import type { OpenItem, SeenNode } from '../../src/protocol/index.ts';
import { messagesOf } from '../../src/page/messages.ts';
import { entriesOf, groupsOf } from '../../src/page/view/fold.ts';
import { nodesPage } from '../../src/page/view/lists.ts';
import { renderPlan, spanOf } from '../../src/page/view/outline.ts';
import { resultPage } from '../../src/page/view/result.ts';
import { runPage, runParts } from '../../src/page/view/run.ts';
import { effectItems } from '../../src/page/view/waits.ts';
import { html } from '../../src/page/markup.ts';
import type { Seen } from '../../src/page/watch.ts';
import { compiled, nodesOf, seenOf, treePlan, waitingOf } from './scenes.ts';

const partsOf = (seen: Seen) => runParts(seen, (command) => command);
const textOf = async (seen: Seen) => String(html`${runPage(await partsOf(seen))}`);

describe('the page of a run', () => {
  test.each([
    [500, 'pending', 40_000],
    [500, 'succeeded', 40_000],
    [4000, 'succeeded', 40_000],
    [30, 'succeeded', 85_000],
  ] as const)('of %i tasks that have %s has at most %i bytes', async (tasks, standing, most) => {
    const plan = treePlan(tasks);
    const result = { ref: 'r'.repeat(43), kind: 'set', count: 123_456, bytes: 9 } as const;
    const times = {
      scheduledAt: '2026-01-01T00:00:00Z',
      endedAt: '2026-01-01T00:01:00Z',
      worker: '4711@host',
      attempt: 2,
    };
    const done = standing === 'succeeded' ? { status: standing, result, ...times } : {};
    const bytes = Buffer.byteLength(
      await textOf(
        seenOf(
          plan,
          nodesOf(plan, () => done),
        ),
      ),
    );
    console.info(`${2 * tasks - 1} nodes: ${bytes} bytes`);
    expect(bytes).toBeLessThanOrEqual(most);
    expect(bytes).toBeGreaterThan(5000);
  });

  test('names no two elements alike', async () => {
    const plan = treePlan(30);
    const ids = [...(await textOf(seenOf(plan, nodesOf(plan)))).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(60);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });
});

describe('a plan of more than 60 nodes', () => {
  const membersOf = (plan: CompiledPlan, nodes: readonly SeenNode[]) =>
    groupsOf(entriesOf({ plan, nodes })).map(({ entries }) => entries);

  test.each([31, 75, 1500])('of %i tasks is at most 30 groups, which have each node once', (tasks) => {
    const plan = treePlan(tasks);
    const nodes = nodesOf(plan, (at) => ({ status: at % 3 === 0 ? 'succeeded' : 'pending' }));
    const groups = membersOf(plan, nodes);
    expect(groups.length).toBeLessThanOrEqual(30);
    const ids = groups.flat().map(({ id }) => id);
    expect(ids.toSorted()).toEqual(Object.keys(plan.nodesById).toSorted());
    // No group hides that some of its nodes stand otherwise.
    for (const group of groups) expect(new Set(group.map(({ standing }) => standing)).size).toBe(1);
  });

  test('keeps up to 12 effects by themselves', () => {
    const plan = treePlan(120);
    const effects = membersOf(plan, nodesOf(plan)).filter(([one]) => one?.effect === 'at-most-once');
    expect(effects.map(({ length }) => length)).toEqual(Array.from({ length: 12 }, () => 1));
  });

  test('of 20,000 nodes tells of those alone that are shown', async () => {
    const plan = treePlan(10_000);
    let told = 0;
    const tasks = Object.values(plan.nodesById).map((node) => {
      if (node.kind !== 'task') return [node.id, node];
      return [node.id, Object.defineProperty({ ...node }, 'task', { enumerable: true, get: () => (told += 1) && 'T' })];
    });
    await renderPlan({ plan: { ...plan, nodesById: Object.fromEntries(tasks) }, nodes: nodesOf(plan) });
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(60);
  });

  test('has each node on the page that its group leads to', () => {
    const plan = treePlan(75);
    const nodes = nodesOf(plan);
    const group = groupsOf(entriesOf({ plan, nodes })).find(({ entries }) => entries.length > 5)!;
    const page = String(
      html`${nodesPage({ workflowId: 'r', plan, nodes, search: '', from: undefined, like: group.id })}`,
    );
    expect(page.match(/<li id="n-/g)).toHaveLength(group.entries.length);
  });
});

test('the values of an effect stand on its card, each by its name, spaces and all', () => {
  const args = { amount: 12, to: { name: 'a  b', lines: ['x'] } };
  const node = compiled({ goal: 'Order', plan: { task: 'Order', capability: 'order', arguments: args } }).nodesById;
  const effect = {
    node: 'node_1',
    title: 'order: Order',
    effect: 'at-most-once',
    values: valuesOf(node['node_1']),
  } as const;
  expect(String(effectItems([effect]))).toMatch(
    /<dt>amount<\/dt>\s*<dd>\s*<code>12<\/code>[^]*<dt>to<\/dt>\s*<dd>\s*<code>{&quot;lines&quot;:\[&quot;x&quot;\],&quot;name&quot;:&quot;a {2}b&quot;}<\/code>/,
  );
});

test('the step of an agent has its values on the page of its run, and a card that lacks something is not approved there', async () => {
  const seen = waitingOf(
    compiled({ goal: 'Order', plan: { task: 'Order', capability: 'order', arguments: { amount: 3 } } }),
  );
  const waits = async (over: Partial<OpenItem>) =>
    String((await runParts({ ...seen, open: [{ ...seen.open[0]!, ...over }] }, (command) => command)).get('waits'));
  const agents = await waits({ workflowId: 'plan-1.node_1', digest: 'e'.repeat(64) });
  expect(agents).toMatch(/order: Order[^]*<dt>amount<\/dt>\s*<dd>\s*<code>3<[^]*>Approve</);
  const lacking = await waits({ leftOut: 'not shown here: 5 effects' });
  expect(lacking).toContain('not shown here: 5 effects');
  expect(lacking).toMatch(/href="\/runs\/plan-of-[^"]*\/effects">Show all[^]*Reject it[^]*<code>effects plan-of-/);
  expect(lacking).not.toMatch(/>Approve/);
});

describe('the picture', () => {
  const BOX = { width: 226, height: 48 };
  const drawnOf = async (plan: CompiledPlan, nodes = nodesOf(plan)) =>
    String((await renderPlan({ workflowId: 'r', plan, nodes }))[0]);

  test.each([
    [1, 1],
    [8, 15],
    [30, 59],
  ])('of %i tasks has %i boxes, none above another', async (tasks, boxes) => {
    const drawn = await drawnOf(treePlan(tasks));
    const places = [...drawn.matchAll(/translate\((\d+) (\d+)\)/g)].map(
      ([, left, top]) => [Number(left), Number(top)] as const,
    );
    expect(places).toHaveLength(boxes);
    const [, width, height] = /<svg\s+width="(\d+)"\s+height="(\d+)"/.exec(drawn)!.map(Number);
    for (const [left, top] of places) {
      expect(left + BOX.width).toBeLessThanOrEqual(width!);
      expect(top + BOX.height).toBeLessThanOrEqual(height!);
      expect(places.filter(([x, y]) => Math.abs(x - left) < BOX.width && Math.abs(y - top) < BOX.height)).toHaveLength(
        1,
      );
    }
  });

  test('has a node that two take once, left of both, with a line to each', async () => {
    const steps = [
      { context_key: 'genes', task_objective: 'Find', capability: 'x' },
      { context_key: 'one', task_objective: 'One', capability: 'x', inputs: ['genes'] },
      { context_key: 'two', task_objective: 'Two', capability: 'x', inputs: ['genes'] },
    ];
    const plan = compiled({ goal: 'Shared', steps });
    const drawn = await drawnOf(plan);
    expect(drawn.match(/href="\/runs\/r\/nodes\/node_1"/g)).toHaveLength(1);
    expect(drawn.match(/<path /g)).toHaveLength(5);
    const lefts = [...drawn.matchAll(/translate\((\d+) /g)].map(([, left]) => Number(left));
    expect(lefts[0]).toBeLessThan(Math.min(...lefts.slice(1)));
  });

  test('of steps that each take all before has the lines to the nearest alone', async () => {
    const steps = Array.from({ length: 40 }, (_, at) => ({
      context_key: `s${at}`,
      task_objective: 'T',
      capability: 'x',
      inputs: Array.from({ length: at }, (__, other) => `s${other}`),
    }));
    const plan = compiled({ goal: 'Dense', steps });
    expect((await drawnOf(plan)).match(/<path /g)).toHaveLength(Object.keys(plan.nodesById).length - 1);
  });
});

describe('failures', () => {
  test('that are equal but for ids and numbers are one row, the first on top', async () => {
    const plan = treePlan(150);
    const nodes = nodesOf(plan, (at) => ({
      status: 'failed',
      endedAt: `2026-01-01T00:${String(59 - (at % 60)).padStart(2, '0')}:00Z`,
      failure: at === 59 ? { type: 'Full', message: 'no room' } : { type: 'Away', message: `gene-${at} answered 503` },
    }));
    const told = String((await partsOf(seenOf(plan, nodes))).get('failures'));
    const rows = [...told.matchAll(/<b>(\d+) ×<\/b> <b class="told">([^<]*)</g)].map(([, count, text]) => [
      Number(count),
      text,
    ]);
    expect(rows).toEqual([
      [1, 'Full: no room'],
      [298, expect.stringMatching(/^Away: gene-\d+ answered 503$/) as string],
    ]);
  });

  const plan = treePlan(4);
  const twoWaits = (kind: string) =>
    ['node_1', 'node_2'].map((node) => ({
      ...{ id: node, kind, workflowId: 'run-1', digest: plan.digest, revision: 1 },
      ...{ text: `${node} failed: 503`, since: '2026-01-01T00:00:00Z', deadline: '2026-01-02T00:00:00Z' },
      ...{ nodes: [node], nodeCount: 1, send: { name: 'control', input: {} } },
    })) as unknown as Seen['open'];

  test('that may have happened are each a card of its own, however alike', async () => {
    const seen = { ...seenOf(plan, nodesOf(plan)), open: twoWaits('uncertain') };
    const told = String((await partsOf(seen)).get('waits'));
    expect(told.match(/class="wait uncertain"/g)).toHaveLength(2);
  });

  test('that may have happened asks first whether it did, and for a reason to do it once more', async () => {
    const seen = { ...seenOf(plan, nodesOf(plan)), open: twoWaits('uncertain').slice(0, 1) };
    const told = String((await partsOf(seen)).get('waits'));
    const buttons = [...told.matchAll(/<button[^>]*>([^<]+)</g)].map(([, word]) => word);
    expect(buttons.slice(0, 2)).toEqual(['It happened', 'It did not happen']);
    const [again = ''] = told.split('<form ').filter((form) => form.includes('retry-node'));
    expect(again).toMatch(/How you know that it did not happen[^]*name="comment"[^>]* required/);
    const sent = new Map<string, readonly string[]>([
      ['run', ['run-1']],
      ['does', ['resolve succeeded']],
      ['node', ['node_1']],
    ]);
    const read = (more: readonly string[]) =>
      messagesOf(
        (name) => sent.get(name) ?? (name === 'value' ? more : []),
        async () => [],
      );
    expect(await read([])).toMatchObject([{ body: { action: 'resolve', outcome: 'succeeded', value: null } }]);
    await expect(read([''])).rejects.toThrow('left blank');
  });

  test('that wait for a person alike are one card, whose answer goes to each node', async () => {
    const open = twoWaits('failed');
    const seen = { ...seenOf(plan, nodesOf(plan)), open };
    const told = String((await partsOf(seen)).get('waits'));
    expect(told.match(/class="wait failed"/g)).toHaveLength(1);
    const [, form = ''] = told.split('<form ');
    const fields = [...form.matchAll(/name="node" value="(node_\d)"/g)].map(([, node]) => node!);
    expect(fields).toEqual(['node_1', 'node_2']);
    const sent = new Map<string, readonly string[]>([
      ['run', ['run-1']],
      ['does', ['retry-node']],
      ['node', fields],
    ]);
    const messages = await messagesOf(
      (name) => sent.get(name) ?? [],
      async () => open,
    );
    expect(messages.map(({ body }) => body['node'])).toEqual(['node_1', 'node_2']);
  });
});

test('a bar begins when its node does, on a scale that stands still while a run goes on', async () => {
  const plan = treePlan(1);
  const times = {
    scheduledAt: '2026-01-01T00:00:20Z',
    startedAt: '2026-01-01T00:00:40Z',
    endedAt: '2026-01-01T00:01:00Z',
  };
  const span = spanOf('2026-01-01T00:00:00Z', '2026-01-01T00:01:40Z');
  const [, rows] = await renderPlan({ plan, nodes: nodesOf(plan, () => ({ status: 'succeeded', ...times })), span });
  const bars = [...String(rows).matchAll(/<rect class="([\w-]+)" x="(\d+)" width="(\d+)"/g)].map((one) => one.slice(1));
  expect(bars).toEqual([
    ['queue', '200', '200'],
    ['succeeded', '400', '200'],
  ]);
});

test('a set is sorted by the column that is chosen, and from its end when it is chosen again', () => {
  const records = [
    { id: 'b', start: 9 },
    { id: 'a', start: 10 },
    { id: 'c', start: 1 },
  ];
  const idsBy = (sort?: string) => {
    const result = { kind: 'set', records } as never;
    const page = String(html`${resultPage({ workflowId: 'r', part: {}, result, from: 0, sort })}`);
    const other = /sort=(-?start)"/.exec(page)?.[1];
    return [...[...page.matchAll(/<td>([abc])</g)].map(([, id]) => id), other];
  };
  expect(idsBy()).toEqual(['b', 'a', 'c', 'start']);
  expect(idsBy('start')).toEqual(['c', 'b', 'a', '-start']);
  expect(idsBy('-start')).toEqual(['a', 'b', 'c', 'start']);
});
