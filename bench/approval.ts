/**
 * What decisions cost a run of the largest plan: each is reckoned in the workflow's sandbox, where a slow one holds up
 * every node that has just ended.
 */

import { performance } from 'node:perf_hooks';
import type { ApprovalRule, Decision, NodeExecutor } from '../src/protocol/index.ts';
import { decide, openRevision } from '../src/workflows/approval/approval.ts';
import { DRAFTING } from '../src/workflows/approval/approval.ts';

const NODES = 8000;
const DECISIONS = 500;
const DIGEST = 'a'.repeat(64);
const AT = '2026-01-01T00:00:00.000Z';

const BOUNDS = { startToCloseMs: 1, heartbeatMs: 1 };
const executor = (effect: NodeExecutor['effect']): NodeExecutor => ({
  label: effect,
  kind: 'task',
  effect,
  ...BOUNDS,
  retry: { attempts: 1, initialMs: 1, factor: 1 },
});
/** Half of the nodes read, half stand on one read each and change something. */
const PLAN = {
  inputs: Array.from({ length: NODES }, (_, node) => (node < NODES / 2 ? [] : [node - NODES / 2])),
  executors: [executor('read'), executor('idempotent')],
  executorOf: Array.from({ length: NODES }, (_, node) => (node < NODES / 2 ? 0 : 1)),
};

function measure(name: string, rules: readonly ApprovalRule[], say: (turn: number) => Partial<Decision>): void {
  let approval = openRevision(DRAFTING, { digest: DIGEST, subject: { plan: PLAN, rules, deadlineMs: 1000 }, at: AT });
  const taken: number[] = [];
  for (let turn = 0; turn < DECISIONS; turn++) {
    const from = performance.now();
    const decision = { kind: 'approve', digest: DIGEST, by: 'operator', verified: false, ...say(turn) } as const;
    const ruling = decide(approval, decision, AT);
    if (ruling.ok) approval = ruling.approval;
    taken.push(performance.now() - from);
  }
  const [ms, most] = [taken.reduce((sum, one) => sum + one, 0), Math.max(...taken)].map((one) =>
    Number(one.toFixed(1)),
  );
  process.stdout.write(
    `${JSON.stringify({ case: `approval/${name}`, nodes: NODES, decisions: DECISIONS, ms, most })}\n`,
  );
}

const part = (turn: number) => ({ kind: 'approve-part' as const, nodes: [`node_${NODES / 2 + 1 + turn * 7}`] });
measure('parts by one person', [{}], part);
measure('parts by 500 people', [{}], (turn) => ({ ...part(turn), by: `person ${turn}` }));
measure('the whole by 500 people', [{ count: 100 }, { effect: 'idempotent', count: 501 }], (turn) => ({
  by: `person ${turn}`,
}));
measure('approved and taken back', [{ count: 2 }], (turn) => ({ kind: turn % 2 === 0 ? 'approve' : 'withdraw' }));
