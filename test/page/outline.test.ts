/** A plan on the page: small enough to be sent, folded where it is large, drawn, its effects and its failures in full. */

import { describe, expect, test } from 'vitest';
import { valuesOf, type CompiledPlan } from '../../src/plan/index.ts';
import type { OpenItem, SeenNode } from '../../src/protocol/index.ts';
import { messagesOf } from '../../src/page/messages.ts';
import { entriesOf, groupsOf } from '../../src/page/view/fold.ts';
import { nodesPage } from '../../src/page/view/lists.ts';
import { renderPlan } from '../../src/page/view/outline.ts';
import { resultPage, resultStart, tabSeparated } from '../../src/page/view/result.ts';
import { runPage, runParts } from '../../src/page/view/run.ts';
import { effectItems } from '../../src/page/view/waits.ts';
import { html } from '../../src/page/markup.ts';
import type { Seen } from '../../src/page/watch.ts';
import { compiled, nodesOf, seenOf, treePlan, waitingOf } from './scenes.ts';
import { plainOf } from './visitor.ts';

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
  const drawnOf = async (plan: CompiledPlan, nodes = nodesOf(plan)) =>
    String((await renderPlan({ workflowId: 'r', plan, nodes }))[0]);

  test.each([
    [1, 1],
    [8, 15],
    [30, 59],
  ])('of %i tasks has %i boxes, none above another', async (tasks, boxes) => {
    const drawn = await drawnOf(treePlan(tasks));
    const places = [
      ...drawn.matchAll(/translate\((\d+) (\d+)\)[^]*?<rect(?: y="\d+")? width="(\d+)" height="(\d+)"/g),
    ].map(([, ...numbers]) => numbers.map(Number) as [left: number, top: number, wide: number, high: number]);
    expect(places).toHaveLength(boxes);
    const [, width, height] = /<svg\s+width="(\d+)"\s+height="(\d+)"/.exec(drawn)!.map(Number);
    for (const [left, top, wide, high] of places) {
      expect(left + wide).toBeLessThanOrEqual(width!);
      expect(top + high).toBeLessThanOrEqual(height!);
      expect(places.filter(([x, y, w, h]) => x < left + wide && left < x + w && y < top + high && top < y + h)).toEqual(
        [[left, top, wide, high]],
      );
    }
  });

  test('numbers the effects of a list, with a dashed line where one does not take the one before', async () => {
    const step = (key: string, capability: string, ...inputs: string[]) =>
      Object({ context_key: key, task_objective: key, capability, inputs }) as object;
    const steps = [
      step('focus', 'order'),
      step('look', 'x'),
      step('steer', 'order', 'look'),
      step('go', 'order', 'steer'),
    ];
    const drawn = await drawnOf(compiled({ goal: 'List', steps }));
    const titles = [...drawn.matchAll(/<\/tspan>([^<]+)<\/text>/g)].map(([, title]) => title);
    expect(titles).toEqual(expect.arrayContaining(['1. focus', '2. steer', '3. go', 'look']));
    expect(drawn.match(/<path\s+class="after"/g)).toHaveLength(1);
    expect(await drawnOf(treePlan(20, () => true))).not.toMatch(/class="after"|>1\. /);
    const long = compiled({ goal: 'Long', steps: Array.from({ length: 12 }, (_, at) => step(`s${at}`, 'order')) });
    expect((await drawnOf(long)).match(/class="after"/g)).toHaveLength(11);
    expect(await drawnOf(long)).toMatch(/<svg\s+width="5\d\d"/);
  });

  test('has an operator as a joint with its sign, and the counts of sets on the lines', async () => {
    const [left, right] = ['a', 'b'].map((task) => ({ task, capability: 'x' }));
    const plan = compiled({ goal: 'Joint', plan: { operator: 'MINUS', left, right } });
    const result = { ref: 'r', kind: 'set', bytes: 1 } as const;
    const nodes = nodesOf(plan, (at) => ({ result: { ...result, count: [2149, 6_000_000, 36][at]! } }));
    const drawn = await drawnOf(plan, nodes);
    const counts = [...drawn.matchAll(/<text\s+class="tail" x="\d+" y="\d+">([\d,.KM]+)</g)].map(([, count]) => count);
    expect([drawn.includes('>L∖R</text>'), ...counts]).toEqual([true, '2,149', '6M']);
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

  test('has the left operand above the right one, however deep either is, and all its lines within it', async () => {
    const leaf = (task: string) => ({ task, capability: 'x' });
    const join = (left: object, right: object) => ({ operator: 'MINUS', left, right });
    const deep = join(join(leaf('b'), join(leaf('c'), leaf('d'))), leaf('e'));
    for (const tree of [join(leaf('a'), deep), join(deep, leaf('a'))]) {
      const plan = compiled({ goal: 'Deep', plan: tree });
      const drawn = await drawnOf(plan);
      const places = drawn.matchAll(/nodes\/(node_\d+)"[^]*?translate\(\d+ (\d+)\)/g);
      const tops = new Map([...places].map(([, id = '', top]) => [id, Number(top)]));
      for (const node of Object.values(plan.nodesById)) {
        if (node.kind === 'task') continue;
        const [left, right] = node.inputs.map((id) => tops.get(id)!);
        expect(left).toBeLessThan(right!);
      }
    }
    const drawn = await drawnOf(treePlan(500));
    const height = Number(/<svg\s+width="\d+"\s+height="(\d+)"/.exec(drawn)![1]);
    const ends = [...drawn.matchAll(/-?\d+ (-?\d+)(?=[C"\s])/g)].map(([, y]) => Number(y));
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...ends)).toBeLessThanOrEqual(height);
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
    const [again = ''] = told.split('<form ').filter((form) => form.includes('value="retry-node"'));
    expect(again).toMatch(/How you know that it did not happen[^]*name="comment"[^>]* required/);
    const sent = new Map<string, readonly string[]>([
      ['run', ['run-1']],
      ['does', ['succeeded']],
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
    // Their titles differ, and their cause is one.
    const open = twoWaits('failed').map((item) => ({
      ...item,
      text: `${item.id} (Read host ${item.id === 'node_1' ? 'one' : 'two'}) failed: host-7 answered 502; retry it`,
    }));
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

describe('the time of a run', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds).toISOString();
  const begun = (from: number, to: number) => ({ scheduledAt: at(from), startedAt: at(from + 10), endedAt: at(to) });
  const rowsOf = async (node: Partial<SeenNode>, over: Partial<Seen>) => {
    const plan = treePlan(1);
    const seen = seenOf(
      plan,
      nodesOf(plan, () => ({ status: 'succeeded', ...node })),
      over,
    );
    const started = { ...seen, status: { ...seen.status!, startedAt: at(0) } };
    return String((await runParts(started, (one) => one, true, decided)).get('outline'));
  };
  const said = { kind: 'approve', by: 'ann', digest: 'd', revision: 1, verified: false };
  const decided = { decisions: [{ seq: 1, at: at(29), what: 'decision', text: 'approve', said }] } as never;
  const barsOf = (rows: string) => [...rows.matchAll(/<rect class="([\w ]+)" x="([\d.]+)%" width="([\d.]+)%"/g)];

  test('is an axis with ticks, on which a bar begins when its node does', async () => {
    const rows = await rowsOf(begun(20, 80), { endedAt: at(100) });
    expect(barsOf(rows).map((bar) => bar.slice(1))).toEqual([
      ['queue succeeded', '20', '10'],
      ['succeeded', '30', '50'],
    ]);
    expect(plainOf(rows)).toMatch(/0 s 30 s 1 min /);
  });

  test('is folded where nothing ran, with the person who was waited for', async () => {
    const rows = await rowsOf(begun(30, 60), { endedAt: at(660) });
    expect(plainOf(rows)).toMatch(/idle 10 min, nothing ran/);
    const long = await rowsOf({ scheduledAt: at(3630), startedAt: at(3640), endedAt: at(3660) }, { endedAt: at(3660) });
    expect(plainOf(long)).toMatch(/idle 1 h 1 min, waited for ann/);
    const [queue] = barsOf(long);
    expect(Number(queue![2])).toBe(7);
  });

  test('has a mark for a further attempt, and says for whom a node waits', async () => {
    const again = { attempt: 2, before: 'worker lost', worker: '4711@host' };
    expect(await rowsOf({ ...begun(20, 60), ...again }, { endedAt: at(100) })).toMatch(
      /×<title>attempt 2: worker lost</,
    );
    const item = {
      ...waitingOf(treePlan(1)).open[0]!,
      kind: 'question',
      nodes: ['node_1'],
      roles: ['operator'],
    } as never;
    const rows = await rowsOf({ ...begun(20, 60), status: 'waiting' }, { open: [item] });
    expect(rows).toMatch(/waits for operator[^]*class="hatched"/);
  });

  test('whose clocks disagree, or that is none, is drawn within its picture', async () => {
    for (const startedAt of [at(7200), at(0)]) {
      const rows = await rowsOf({ scheduledAt: startedAt, startedAt: at(30), endedAt: at(10) }, { endedAt: at(5) });
      for (const [, , left, width] of barsOf(rows)) {
        expect(Number(left)).toBeLessThanOrEqual(100);
        expect(Number(width)).toBeLessThanOrEqual(100);
      }
    }
    expect(await rowsOf({ scheduledAt: 'soon', startedAt: 'x', endedAt: 'y' }, { endedAt: 'z' })).not.toContain(
      '<rect',
    );
  });
});

describe('a result where it is asked about', () => {
  const startOf = (content: object, count = 1) => {
    const { kind } = content as { kind: 'set' };
    const handle = { ref: 'r', kind, count, bytes: 1 } as const;
    return String(html`${resultStart({ workflowId: 'r', part: {}, handle, content: content as never })}`);
  };
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `g${at}` }));

  test.each<[what: string, content: object, left: RegExp]>([
    ['a text of 2,000 characters', { kind: 'text', text: 'x'.repeat(2000) }, /^ *1 character/],
    ['a text of 2,001', { kind: 'text', text: 'x'.repeat(2001) }, /and 1 more character: all of it/],
    ['a value of 20 lines', { kind: 'value', value: Array(18).fill(1) }, /^ *a value/],
    ['a value of 21 lines', { kind: 'value', value: Array(19).fill(1) }, /and 1 more line: all of it/],
    ['a value of one long line', { kind: 'value', value: ['x'.repeat(3000)] }, /long lines are cut: all of it/],
    ['a set of 10 records', { kind: 'set', records: many(10) }, /^ *1 record/],
    ['a set of 11', { kind: 'set', records: many(11) }, /and 1 more record: all of it/],
    ['a list of 12 objects', { kind: 'value', value: many(12) }, /and 2 more rows: all of it .*as TSV JSON/],
  ])('%s', (_what, content, left) => {
    const [, tail = ''] = startOf(content).split('<p class="result meta">');
    expect(plainOf(tail)).toMatch(left);
  });

  test('a list of objects is a table with their keys, whatever these are, and tab-separated without losing any', () => {
    const value = JSON.parse('[{"constructor":"a\\tb","n":-1.5},{"__proto__":"x","ok":false},{"n":null}]') as unknown;
    const content = { kind: 'value', value } as never;
    expect(plainOf(startOf(content))).toMatch(/constructor n __proto__ ok a b -1.5 x false null/);
    expect(tabSeparated(content)).toBe('constructor\tn\t__proto__\tok\na\\tb\t-1.5\t\t\n\t\tx\tfalse\n\t\t\t\n');
    for (const other of [[1], [{ a: [] }], [{}], {}, 'x'])
      expect(tabSeparated({ kind: 'value', value: other } as never)).toBeUndefined();
  });
});

test('of 150 results of a finished run 8 are named, and the others are counted', async () => {
  const plan = treePlan(2);
  const result = { ref: 'r', kind: 'set', count: 3, bytes: 1 };
  const results = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`s${at}`, result]));
  const facts = { outcome: 'done', digest: plan.digest, revision: 1, result, results };
  const parts = await partsOf(seenOf(plan, nodesOf(plan), { end: { how: 'completed', result: facts } as never }));
  expect(plainOf(String(parts.get('end')))).toMatch(/s0 3 records .* s7 3 records 142 more/);
});

test('a preview is shown as now and then, and whole where it has another form', () => {
  const effect = { node: 'node_1', title: 'steer', effect: 'idempotent', values: [] } as const;
  const shown = (row: string) => plainOf(String(effectItems([{ ...effect, shows: [row] }])));
  expect(shown('magnet-12  43.9 A -> 46 A')).toMatch(/safe to repeat .* magnet-12 now 43.9 A → 46 A/);
  expect(shown('a -> b -> c')).toMatch(/change a -&gt; b -&gt; c/);
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
