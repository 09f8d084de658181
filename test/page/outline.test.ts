/** A plan on the page: small enough to be sent, folded where it is large, drawn where it is small, its effects in full. */

import { describe, expect, test } from 'vitest';
import { compilePlan, type CompiledPlan } from '../../src/plan/index.ts';
import type { SeenNode } from '../../src/protocol/index.ts';
import { outlineParts } from '../../src/page/view/outline.ts';
import { runPage, runParts } from '../../src/page/view/run.ts';
import { treeOf } from '../../src/page/view/tree.ts';
import { html } from '../../src/page/markup.ts';
import type { Seen } from '../../src/page/watch.ts';
import { status } from '../client/follow/fake-run.ts';

/** A tree of so many tasks, every tenth of them an effect, joined two by two. */
function treePlan(tasks: number): CompiledPlan {
  let at = 0;
  const node = (count: number): object =>
    count === 1
      ? {
          task: `Find the genes of region ${++at} that are expressed in the root`,
          capability: at % 10 === 0 ? 'order' : 'genes',
          arguments: { region: `region-${at}`, strand: 'both', least: at },
        }
      : { operator: 'UNION', left: node(Math.ceil(count / 2)), right: node(Math.floor(count / 2)) };
  return compiled({ goal: 'A large plan', plan: node(tasks) });
}

function compiled(document: unknown): CompiledPlan {
  const read = compilePlan(document);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.plan;
}

function nodesOf(plan: CompiledPlan, over: (at: number) => Partial<SeenNode> = () => ({})): readonly SeenNode[] {
  return Object.values(plan.nodesById).map((node, at) => {
    const isEffect = node.kind === 'task' && node.capability === 'order';
    return {
      id: node.id,
      status: 'pending',
      summary: node.kind,
      executor: 'capability x@1',
      effect: isEffect ? 'at-most-once' : 'read',
      ...over(at),
    };
  });
}

function seenOf(plan: CompiledPlan, nodes: readonly SeenNode[]): Seen {
  const now = status({ digest: plan.digest, counts: { total: nodes.length, running: 3 } });
  return {
    workflowId: 'plan-of-a-name-as-long-as-they-get-3fa9c1d2',
    status: now,
    nodes,
    plan,
    open: [],
    attempts: [],
    feedback: [],
    agents: [],
    steps: [],
  };
}

const textOf = (seen: Seen) => String(html`${runPage(runParts(seen, (command) => command))}`);

describe('the page of a run', () => {
  test.each([
    [500, 'pending', 400_000],
    [500, 'succeeded', 400_000],
    [4000, 'succeeded', 400_000],
    [30, 'succeeded', 60_000],
  ] as const)('of %i tasks that have %s has at most %i bytes', (tasks, standing, most) => {
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
      textOf(
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

  test('names no two elements alike', () => {
    const plan = treePlan(200);
    const ids = [...textOf(seenOf(plan, nodesOf(plan))).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(390);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });
});

describe('a large plan', () => {
  const plan = treePlan(4000);

  test('keeps its rows while it goes on, so that only rows that change are sent', () => {
    const at = (done: number) =>
      outlineParts({
        workflowId: 'plan-1',
        plan,
        nodes: nodesOf(plan, (place) => (place < done ? { status: 'succeeded' } : {})),
      })!;
    const [before, after] = [at(0), at(3000)];
    expect(after.whole.key).toBe(before.whole.key);
    expect([...after.rows.keys()]).toEqual([...before.rows.keys()]);
    const changed = [...after.rows].filter(([id, { key }]) => before.rows.get(id)?.key !== key);
    expect(changed.length).toBeGreaterThan(10);
    expect(changed.length).toBeLessThan(after.rows.size);
  });
});

test('an edit makes other rows', () => {
  const key = (plan: CompiledPlan) => outlineParts({ workflowId: 'plan-1', plan, nodes: nodesOf(plan) })?.whole.key;
  expect(key(treePlan(5))).toBe(key(treePlan(5)));
  expect(key(treePlan(5))).not.toBe(key(treePlan(6)));
});

describe('the values of an effect', () => {
  const order = (args: object) =>
    compiled({ goal: 'Order', plan: { task: 'Order', capability: 'order', arguments: args } });
  const shown = (plan: CompiledPlan) =>
    String(outlineParts({ workflowId: 'plan-1', plan, nodes: nodesOf(plan) })?.whole.html());

  test('stand beside it, each by its name, spaces and all', () => {
    expect(shown(order({ amount: 12, to: { name: 'a  b', lines: ['x'] } }))).toMatch(
      /<dt>amount<\/dt>\s*<dd>\s*<code>12<\/code>[^]*<dt>to<\/dt>\s*<dd>\s*<code>{&quot;lines&quot;:\[&quot;x&quot;\],&quot;name&quot;:&quot;a {2}b&quot;}<\/code>/,
    );
  });
});

describe('the drawing', () => {
  test.each([
    [1, 1],
    [8, 15],
    [30, 59],
  ])('of %i tasks has %i boxes, none above another', (tasks, boxes) => {
    const plan = treePlan(tasks);
    const drawn = String(treeOf({ plan, nodes: nodesOf(plan) }));
    const places = [...drawn.matchAll(/translate\((\d+) (\d+)\)/g)].map(
      ([, left, top]) => [Number(left), Number(top)] as const,
    );
    expect(places).toHaveLength(boxes);
    const [, width, height] = /<svg\s+width="(\d+)"\s+height="(\d+)"/.exec(drawn)!.map(Number);
    for (const [left, top] of places) {
      expect(left + 206).toBeLessThanOrEqual(width!);
      expect(top + 46).toBeLessThanOrEqual(height!);
      expect(places.filter(([x, y]) => Math.abs(x - left) < 206 && Math.abs(y - top) < 46)).toHaveLength(1);
    }
  });

  test.each<[what: string, plan: CompiledPlan]>([
    ['a larger plan', treePlan(60)],
    [
      'a deep one',
      compiled({
        goal: 'Deep',
        plan: Array.from({ length: 20 }).reduce((input: object, _, at) => ({ task: `T${at}`, input }), { task: 'A' }),
      }),
    ],
    [
      'steps that each take all before',
      compiled({
        goal: 'Dense',
        steps: Array.from({ length: 20 }, (_, at) => ({
          context_key: `s${at}`,
          task_objective: 'T',
          capability: 'x',
          inputs: Array.from({ length: at }, (__, other) => `s${other}`),
        })),
      }),
    ],
  ])('is left out for %s', (_what, plan) => {
    expect(treeOf({ plan, nodes: nodesOf(plan) })).toBe('');
  });
});
