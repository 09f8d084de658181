/** What waits in an agent, as its run tells it and its parent takes it in: what is told, how often, and how much of it. */

import { describe, expect, test } from 'vitest';
import { waitsIn, type FromAgent, type OpenItem } from '../../../src/protocol/index.ts';
import { workLines } from '../../../src/operations/words/index.ts';
import {
  agentScheduled,
  agentEnded,
  agentStarted,
  applyRunSignal,
  signalEnded,
  signalsToRuns,
} from '../../../src/workflows/run/agents.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { openOf, statusOf } from '../../../src/workflows/views/views.ts';
import {
  approvedRun,
  AT,
  bring,
  editOf,
  executor,
  handle,
  later,
  applyEdit,
  openedRun,
  say,
  sayAndWait,
  shapeOf,
  turn,
  underWay,
  wideShape,
} from './make-run.ts';

const CHILD = 'plan-1.node_1';

/** The run of an agent with two steps to approve. */
function agentRun(): Run {
  const planShape = shapeOf([[], []], {
    executors: [executor('at-most-once', 'pay')],
    values: { 1: [{ name: 'amount', text: '44' }] },
  });
  const run = openedRun(planShape);
  run.state.parent = { key: 'w', out: {} };
  return run;
}

function parentRun(children = [CHILD]): Run {
  const run = openRun('plan-1', AT);
  for (const [at, id] of children.entries()) {
    run.tasks[at + 1] = { kind: 'node', node: at } as never;
    agentScheduled(run, id, at + 1, `w${at}`);
    agentStarted(run, id, 'first', true);
  }
  return run;
}
/** What an agent's run sends to its parent, whose server takes it at once. */
function toldBy(run: Run, signals = signalsToRuns(run, AT)): FromAgent | undefined {
  const [signal] = signals;
  if (signal !== undefined) signalEnded(run, signal.to, 'taken', AT);
  return signal && 'message' in signal ? (signal.message as FromAgent) : undefined;
}
/** The word that an edit of its plan brings. */
function edited(run: Run): FromAgent | undefined {
  applyEdit(run, sayAndWait(run, 'decide', editOf(run)), shapeOf([[]], { digest: 'ab'.repeat(32) }), [-1]);
  return toldBy(run, turn(run).runSignals);
}
const item = (over: Partial<OpenItem> = {}): OpenItem => ({
  ...{
    id: 'approval',
    kind: 'approval',
    workflowId: CHILD,
    digest: '3fa9c1d2'.repeat(8),
    revision: 1,
    text: 'approve?',
  },
  ...{ since: AT, deadline: AT, nodes: [], nodeCount: 0, send: { name: 'approve', input: { digest: '3fa9c1d2' } } },
  ...over,
});
const hear = (run: Run, items: unknown, waitingFor = 1, key = 'w0') =>
  applyRunSignal(run, { key, firstRunId: '', waitingFor, items }, AT);
const itemsOf = (run: Run, child = CHILD) => run.state.children[child]?.items;

describe('an agent tells', () => {
  test('what waits with its number, once; and again where another takes its place', () => {
    const run = agentRun();
    const first = toldBy(run);
    expect(first).toMatchObject({ key: 'w', waitingFor: 1, items: [{ id: 'approval', revision: 1 }] });
    expect(first?.items?.[0]?.effects?.[1]).toMatchObject({
      effect: 'at-most-once',
      values: [{ name: 'amount', text: '44' }],
    });
    expect(toldBy(run)).toBeUndefined();
    run.viewChanged = true;
    expect(toldBy(run)).toBeUndefined();
    // As many wait as before.
    expect(edited(run)).toMatchObject({ waitingFor: 1, items: [{ revision: 2, digest: 'ab'.repeat(32) }] });
  });

  test('so many as fit 8 KiB, and counts all', () => {
    const run = openedRun(wideShape(60), { approval: { rules: [{ capability: 'none' }] } });
    run.state.parent = { key: 'w', out: {} };
    toldBy(run, turn(run).runSignals);
    for (const node of underWay(run)) bring(run, node, { asks: { text: 'é'.repeat(400) } });
    const { waitingFor, items = [] } = toldBy(run) ?? {};
    expect(waitingFor).toBe(60);
    expect(items.length).toBeGreaterThan(3);
    expect(items.length).toBeLessThan(20);
    expect(JSON.stringify(items).length).toBeLessThan(8300);
  });
});

describe('what an agent waits for beside people', () => {
  const held = { deferred: 'version', reason: 'find@2 is not find@1' } as const;
  const WAITS =
    'waits for a worker with the approved version: find@2 is not find@1, since 03:04:05 UTC; a person is asked at 03:14:05 UTC';
  const heldAt = (run: Run, at: string) => {
    bring(run, 0, held as never, at);
    return toldBy(run, turn(run, at).runSignals);
  };
  function workingAgent(): Run {
    const run = approvedRun(shapeOf([[]]));
    run.state.parent = { key: 'w0', out: {} };
    toldBy(run, turn(run).runSignals);
    return run;
  }

  test('is told once, and not at each try; and when it waits no longer', () => {
    const run = workingAgent();
    expect(heldAt(run, AT)).toMatchObject({ waitingFor: 0, waits: WAITS });
    turn(run, later(1000));
    expect(heldAt(run, later(1000))).toBeUndefined();
    expect(statusOf(run).waits).toContain('; try 3 at ');
    turn(run, later(5000));
    bring(run, 0, handle('r'), later(5000));
    const last = toldBy(run, turn(run, later(5000)).runSignals);
    expect(last).toMatchObject({ waitingFor: 0 });
    expect(last).not.toHaveProperty('waits');
  });

  test('is in the status, the details and the words of its parent, and of the run above that', () => {
    const root = parentRun();
    const told = heldAt(workingAgent(), AT);
    applyRunSignal(root, told, AT);
    const status = statusOf(root);
    expect(status.children).toEqual([{ node: 'node_1', workflowId: CHILD, waitingFor: 0, waits: WAITS }]);
    expect(waitsIn(status)).toBe(`agent of node_1 ${WAITS}`);
    expect(workLines(status)).toEqual([`agent of node_1: run ${CHILD}, ${WAITS}`]);
    expect(runDetails(root)).toContain(`agent of node_1, \`${CHILD}\`, **waits for a worker`);
    root.state.parent = { key: 'up', out: {} };
    expect(toldBy(root)).toMatchObject({ waits: WAITS });
    applyRunSignal(root, { key: 'w0', firstRunId: '', waitingFor: 0 }, AT);
    expect(statusOf(root).children?.[0]).not.toHaveProperty('waits');
  });

  test('is cut where it is long', () => {
    const root = parentRun();
    applyRunSignal(root, { key: 'w0', firstRunId: '', waitingFor: 0, waits: `\u001b[31m${'x'.repeat(10_000)}` }, AT);
    const { waits = '' } = statusOf(root).children?.[0] ?? {};
    expect([waits.length <= 500, waits.includes('\u001b')]).toEqual([true, false]);
  });
});

describe('its parent', () => {
  test('shows it with the run to address, in its query, its next command and its details', () => {
    const run = parentRun();
    hear(run, [item({ text: 'approve the *step*?' })]);
    expect(openOf(run)).toEqual([{ run: CHILD, waitingFor: 1, items: [item({ text: 'approve the *step*?' })] }]);
    expect(statusOf(run).next).toBe(
      `temporal workflow signal -w ${CHILD} --name approve --input '{"digest":"3fa9c1d2"}'`,
    );
    expect(statusOf(run)).toMatchObject({ waitingFor: 0, children: [{ workflowId: CHILD, waitingFor: 1 }] });
    const executed = openedRun(shapeOf([[]]), { approval: { rules: [{ capability: 'none' }] } });
    Object.assign(executed.state, { children: run.state.children });
    expect(runDetails(executed)).toContain(
      String.raw`- approve the \*step\*? Until 2026-01-02 03:04:05Z, send **approve** to its agent ` + `\`${CHILD}\``,
    );
  });

  test('takes the last word for all, and forgets it with the agent', () => {
    const run = parentRun();
    hear(run, [item()]);
    hear(run, undefined, 3);
    expect(openOf(run)).toEqual([{ run: CHILD, waitingFor: 3 }]);
    hear(run, [item()]);
    agentEnded(run, 1);
    expect(openOf(run)).toEqual([]);
  });

  test.each<[name: string, items: unknown]>([
    ['of another run', [item({ workflowId: 'plan-2' })]],
    ['of a run whose id only begins alike', [item({ workflowId: `${CHILD}0` })]],
    ['one of which is of another run', [item(), item({ workflowId: 'plan-2' })]],
    ['that are none', [{ ...item(), nodes: 'all' }]],
    ['that are no list', { ...item() }],
    ['that are too many', Array.from({ length: 21 }, () => item())],
    ['that are too long', [item({ text: 'x'.repeat(9000) })]],
    ['that are too deep', [{ ...item(), default: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as never }]],
  ])('counts items %s, and shows none of them', (_, items) => {
    const run = parentRun();
    hear(run, items);
    expect([itemsOf(run), run.state.children[CHILD]?.waitingFor]).toEqual([undefined, 1]);
  });

  test('takes in the items of agents that work for its agent', () => {
    const run = parentRun();
    hear(run, [item({ workflowId: `${CHILD}.node_2` })]);
    expect(itemsOf(run)).toHaveLength(1);
  });

  test('hears no items from who does not know the word', () => {
    const run = parentRun();
    hear(run, [item()], 1, 'guess');
    expect(itemsOf(run)).toBeUndefined();
  });

  test('keeps 256 KiB of all its agents, and counts the rest', () => {
    const ids = Array.from({ length: 60 }, (_, at) => `plan-1.node_${at + 1}`);
    const run = parentRun(ids);
    for (const [at, workflowId] of ids.entries())
      hear(run, [item({ workflowId, text: 'x'.repeat(7500) })], 1, `w${at}`);
    const kept = ids.flatMap((id) => itemsOf(run, id) ?? []);
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(262_144);
    expect(kept.length).toBeGreaterThan(30);
    expect(kept.length).toBeLessThan(60);
    expect(openOf(run)).toHaveLength(60);
  });

  test('is told nothing by a word that says nothing of waiting', () => {
    const run = parentRun();
    say(run, 'control', { action: 'pause', by: 'operator' });
    applyRunSignal(run, { key: 'w0', firstRunId: '', items: [item()] }, AT);
    expect(itemsOf(run)).toBeUndefined();
  });
});
