/** A run, its agents and the server between them: whatever hands over, fails or ends, at rest the run shows what its agents wait for. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentsToLookAt, lastMessageToParent, type RunSignal } from '../../../../src/workflows/run/agents.ts';
import type { Incoming } from '../../../../src/workflows/run/arrive.ts';
import { openRun, planCompiled } from '../../../../src/workflows/run/run.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { AT, executor, handle, later, NO_PROJECT, say, takenUp, turn, wideShape } from '../make-run.ts';

const ROOT = 'plan-1';
const AGENTS = 3;
const QUESTIONS = 2;
const idOf = (agent: number) => `${ROOT}.node_${agent + 1}`;
const stopped: Incoming & { is: 'ended' } = {
  is: 'ended',
  taskId: 0,
  at: AT,
  ended: {
    ok: false,
    end: { status: 'cancelled', type: 'Cancelled', message: 'cancelled' },
    failure: { type: 'RETRIABLE', message: 'cancelled', details: [] },
  },
};

interface Workflow {
  run: Run;
  line: Incoming[];
  /** Its history is to end. */
  isLong: boolean;
}

const moves = fc.oneof(
  fc.record({ is: fc.constantFrom('ask', 'settle'), agent: fc.nat(AGENTS - 1), node: fc.nat(QUESTIONS - 1) }),
  fc.record({ is: fc.constantFrom('finish', 'stay'), agent: fc.nat(AGENTS - 1), node: fc.constant(0) }),
  fc.record({ is: fc.constantFrom('go on', 'turn'), agent: fc.nat(AGENTS), node: fc.constant(0) }),
  fc.record({ is: fc.constantFrom('take', 'take', 'fail', 'wait'), agent: fc.constant(0), node: fc.nat(5) }),
);
type Move = typeof moves extends fc.Arbitrary<infer T> ? T : never;

function opened(workflowId: string, nodes: number, kind: 'agent' | 'task'): Run {
  const run = openRun(workflowId, AT);
  const planShape = wideShape(nodes, { executors: [{ ...executor('read', 'find'), kind }] });
  planCompiled(run, planShape, NO_PROJECT, AT);
  say(run, 'approve', { digest: planShape.digest.slice(0, 8), by: 'operator' });
  return run;
}

/** The server: executions, signals on their way, and time. */
class World {
  at = AT;
  readonly flows = new Map<string, Workflow>();
  readonly underWay: { readonly from: string; readonly signal: RunSignal; readonly isLast?: true }[] = [];
  readonly ended = new Set<string>();

  constructor() {
    const root = this.add(ROOT, opened(ROOT, AGENTS, 'agent'));
    for (const [agent, work] of Object.keys(root.run.tasks).entries()) {
      const workflowId = idOf(agent);
      const child = this.add(workflowId, opened(workflowId, QUESTIONS, 'task'));
      child.run.state.parent = { key: `k${agent}`, out: {} };
      root.line.push({ is: 'child', workflowId, taskId: Number(work), key: `k${agent}`, at: AT });
      root.line.push({ is: 'child-there', workflowId, first: workflowId, isHere: true, at: AT });
    }
    this.turn(ROOT);
  }

  add(id: string, run: Run): Workflow {
    const flow: Workflow = { run, line: [], isLong: false };
    this.flows.set(id, flow);
    return flow;
  }

  turn(id: string): void {
    const flow = this.flows.get(id);
    if (flow === undefined) return;
    const { run } = flow;
    const pressure = flow.isLong ? 'messages' : 'none';
    const orders = turn(run, this.at, { arrivals: flow.line.splice(0), pressure });
    if (orders.next === 'continue') {
      // The server drops what is ordered in the task that ends a history.
      Object.assign(flow, { run: takenUp(run), isLong: false });
      return;
    }
    for (const signal of orders.runSignals) this.underWay.push({ from: id, signal });
    for (const work of orders.cancel) flow.line.push({ ...stopped, taskId: work, at: this.at });
    for (const work of orders.begin) {
      if (run.tasks[work]?.kind !== 'look') continue;
      const agents = agentsToLookAt(run).agents.map(({ workflowId, first = '' }) => ({
        workflowId,
        first,
        ...(this.ended.has(workflowId) && { result: RESULT }),
      }));
      flow.line.push({ is: 'ended', taskId: work, ended: { ok: true, value: { agents } }, at: this.at });
    }
  }

  /** The server takes a signal, or refuses it. */
  pass(nth: number, isTaken: boolean): void {
    const [sent] = this.underWay.splice(nth % Math.max(1, this.underWay.length), 1);
    if (sent === undefined) return;
    const { from, signal, isLast } = sent;
    const receiver = this.flows.get(signal.to ?? ROOT);
    if (isTaken && 'message' in signal)
      receiver?.line.push({ is: 'agent', message: structuredClone(signal.message), at: this.at });
    if (isLast !== true) {
      const outcome = receiver === undefined ? 'gone' : isTaken ? 'taken' : 'failed';
      this.flows.get(from)?.line.push({ is: 'signalled', to: signal.to, outcome, at: this.at });
    } else if (isTaken) this.close(from);
    else this.underWay.push(sent);
  }

  /** An agent ends once all that it has sent is taken. */
  finish(id: string): void {
    const flow = this.flows.get(id);
    const signal = flow && lastMessageToParent(flow.run);
    if (signal === undefined || this.underWay.some(({ from }) => from === id)) return;
    this.underWay.push({ from: id, signal, isLast: true });
  }

  close(id: string): void {
    const root = this.flows.get(ROOT);
    const work = root?.run.state.children[id]?.task;
    this.flows.delete(id);
    this.ended.add(id);
    if (root === undefined || work === undefined || !root.run.agentsHere.has(id)) return;
    root.line.push({ is: 'ended', taskId: work, ended: { ok: true, value: RESULT }, at: this.at });
  }

  do({ is, agent, node }: Move): void {
    const id = is === 'go on' || is === 'turn' ? [ROOT, ...this.flows.keys()][agent] : idOf(agent);
    const flow = this.flows.get(id ?? '');
    // What has said its last word does nothing any more.
    const isOver = this.underWay.some(({ from, isLast }) => from === id && isLast === true);
    if (is === 'take' || is === 'fail') this.pass(node, is === 'take');
    else if (is === 'wait') this.at = later(5000, this.at);
    else if (flow === undefined || isOver) return;
    else if (is === 'turn') this.turn(id ?? '');
    else if (is === 'go on') {
      // What is under way is asked to stop after 5 s, and its ends are on their way.
      flow.isLong = true;
      this.turn(id ?? '');
      this.at = later(5000, this.at);
      this.turn(id ?? '');
    } else if (is === 'finish') this.finish(id ?? '');
    else if (is === 'settle') {
      const control = { action: 'cancel-node', node: `node_${node + 1}`, by: 'operator' };
      flow.line.push({ name: 'control', payload: control, at: this.at });
    } else if (is === 'ask') {
      const [work] = Object.entries(flow.run.tasks).find(([, one]) => one.kind === 'node' && one.node === node) ?? [];
      const isEnding = flow.line.some((one) => one.is === 'ended' && one.taskId === Number(work));
      if (work === undefined || isEnding) return;
      const value = { asks: { text: 'Which?' } };
      flow.line.push({ is: 'ended', taskId: Number(work), ended: { ok: true, value }, at: this.at });
    }
  }

  /** All that is due happens. */
  rest(): void {
    for (let round = 0; round < 40; round += 1) {
      for (const id of this.flows.keys()) this.turn(id);
      while (this.underWay.length > 0) this.pass(0, true);
      this.at = later(60_000, this.at);
    }
  }
}
const RESULT = { outcome: 'done', digest: 'd', revision: 1, result: handle('r') };

test('at rest a run shows exactly what its agents wait for, and has heard of each end', () => {
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 80 }), (course) => {
      const world = new World();
      for (const move of course) world.do(move);
      world.rest();
      const { children } = world.flows.get(ROOT)?.run.state ?? {};
      const shown = Object.entries(children ?? {}).map(([id, { waitingFor, items = [] }]) => [
        id,
        waitingFor,
        items.map((item) => item.id),
      ]);
      const asked = [...world.flows].flatMap(([id, { run }]) => {
        const open = Object.keys(run.state.questions);
        return id === ROOT ? [] : [[id, open.length, open]];
      });
      expect(shown.toSorted()).toEqual(asked.toSorted());
      const open = Object.values(world.flows.get(ROOT)?.run.tasks ?? {}).filter(({ kind }) => kind === 'node');
      expect(open).toHaveLength(AGENTS - world.ended.size);
    }),
    {
      numRuns: 150,
      // A question closes in the turn that ends the history.
      examples: [
        [
          ['ask', 'turn', 'take', 'go on', 'settle', 'turn'].map((is) => ({
            is,
            agent: is === 'turn' || is === 'go on' ? 2 : 0,
            node: 0,
          })),
        ],
      ],
    },
  );
});
