import { nodesAtWork } from '../client/attempts.ts';
import { ClientError, roundOfStep, stepNode } from '../client/index.ts';
import type { RunSession } from '../config/project/index.ts';
import {
  agentRunId,
  given,
  isOfAgent,
  waitsIn,
  type AttemptView,
  type ExecutedNodes,
  type ExecutedNode,
  type LoopView,
  type NodeView,
  type OpenItem,
  type RoundRecord,
  type TraceEntry,
} from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import { operation } from './operation.ts';
import { approversIn } from './ending.ts';
import { findNode } from './result.ts';
import { openItemsOf, seeNodes, factsOfRun, type RunFacts } from './run-facts.ts';

export interface Reasons {
  readonly node: NodeView;
  /** Set for a skipped node: the node whose missing result caused the skip. */
  readonly because?: NodeView;
  readonly inputs: readonly NodeView[];
  readonly attempt?: AttemptView;
  readonly begun?: ExecutedNode;
  /** Why `begun` may be absent, for example because the server has deleted the history of a long run. */
  readonly missing?: NonNullable<ExecutedNodes['missing']>;
  readonly approvedBy: readonly string[];
  readonly agentRun?: AgentRun;
  readonly open: readonly OpenItem[];
  readonly entries: readonly TraceEntry[];
}

export interface AgentRun extends Pick<RunFacts, 'phase' | 'outcome' | 'loop' | 'waitingFor' | 'waits' | 'usage'> {
  readonly workflowId: string;
}

/** A step of a loop, with the trace entries until it ended. */
export interface StepReasons {
  readonly round: RoundRecord;
  /** How the step ended; absent for an open step and in the last round. */
  readonly ended?: NonNullable<RoundRecord['happened']>;
  readonly entries: readonly TraceEntry[];
}

/**
 * Prints the node's state and failure, or the node whose missing result skipped it; its current attempt and the end of
 * the previous one; what it waits for, with the command; who approved the plan; the results that it uses; its times,
 * worker and attempts; every decision about it; and an agent's run. `NODE` is an id, a context key or, in a loop,
 * `step_3`. If the server has deleted a history of a long run, it says so (docs/runs.md).
 */
export const why = operation({
  command: { words: 'why <workflow-id> <node>' },
  host: { fields: ['workflowId', 'node'] },
  does: 'Explain the state of a node: waits, approvals, attempts.',
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      node: z.string().describe('the node, by id, by context key or, in a loop, as step_3'),
    }),
  async run(plans, { workflowId, node: name }): Promise<{ workflowId: string } & Partial<Reasons & StepReasons>> {
    const session = await plans.run(workflowId);
    const { run } = session;
    const facts = await factsOfRun(session);
    const { loop, counts, phase } = facts;
    const round = roundOfStep(name);
    if (round === undefined || loop === undefined) return { workflowId, ...(await reasonsFor(session, name, facts)) };
    const step = await reasonsForStep(run, round, loop);
    const isOpen = loop.step !== undefined && loop.round === round && phase !== 'closed' && counts !== undefined;
    const ofNode = isOpen && (await reasonsFor(session, stepNode(name, { loop, counts }), facts));
    return { workflowId, ...ofNode, ...step };
  },
});

type Run = RunSession['run'];

async function reasonsForStep(run: Run, round: number, { notes }: LoopView): Promise<StepReasons> {
  // How a step ended is in the record of the next round, so the rounds from this one on are read.
  const { rounds } = notes === undefined ? { rounds: [] } : await run.view(['rounds'], { notes, from: round });
  const record = rounds.find((one) => one.round === round);
  if (record === undefined) {
    const newest = notes === undefined ? undefined : (await run.view(['rounds'], { notes, last: 1 })).rounds[0];
    const decided = newest === undefined ? 'it has decided none' : `it has decided ${newest.round}`;
    throw new OperationError('REFUSED', `run ${run.workflowId} has no step_${round}; ${decided}`);
  }
  const ended = rounds.find(({ happened }) => happened?.round === round)?.happened;
  const entries: TraceEntry[] = [];
  let isOpen = false;
  for (const entry of (await run.view(['trace'])).trace.entries) {
    if (entry.what === 'compiled') isOpen = entry.text.startsWith(`step_${round}:`);
    if (isOpen) entries.push(entry);
    if (entry.text.startsWith(`step_${round} ended:`)) isOpen = false;
  }
  return given({ round: record, ended, entries });
}

async function reasonsFor(session: RunSession, name: string, facts: RunFacts): Promise<Reasons> {
  const { run } = session;
  const { nodes: all, trace } = await run.view(['nodes', 'trace']);
  const { entries } = trace;
  const node = findNode(run, name, all);
  const { id } = node;
  const nodes = new Map(all.map((one) => [one.id, one]));
  const because = node.cause === undefined ? undefined : nodes.get(node.cause);
  const named = new Set([id, node.cause]);
  const { revision = 1, firstRunId = '', children = [] } = facts;
  const ofAgent = children.find((one) => one.node === id)?.workflowId;
  // Items of the node's agent belong to the node, whatever node ids they have in the agent's own run.
  const isAbout = (item: OpenItem) =>
    item.workflowId === run.workflowId
      ? item.nodes.includes(id) || item.nodes.length < item.nodeCount
      : item.workflowId === ofAgent;
  const open = (await openItemsOf(run, facts)).filter(isAbout);
  const { begun, attempts, missing } = await seeNodes(run, [node], revision, { gives: false });
  const isIt = (one: { readonly id: string }) => one.id === id;
  const agentRun = isOfAgent(node.executor)
    ? await agentRunFor(session, ofAgent ?? agentRunId({ workflowId: run.workflowId, firstRunId }, revision, id))
    : undefined;
  return given({
    node,
    because,
    inputs: (node.inputs ?? []).flatMap((input) => nodes.get(input) ?? []),
    begun: begun.find(isIt),
    missing,
    approvedBy: approversIn(entries),
    attempt: attempts.find((one) => nodesAtWork(one).includes(id)),
    agentRun,
    open,
    entries: entries.filter((entry) => concerns(entry, named)),
  });
}

/**
 * The run of an agent. While it runs, the status has its id. Later the id is computed, perhaps wrongly after an edit.
 */
async function agentRunFor({ plans }: RunSession, workflowId: string): Promise<AgentRun | undefined> {
  try {
    const facts = await factsOfRun({ run: plans.run(workflowId) });
    const { phase, outcome, loop, waitingFor, usage } = facts;
    return { workflowId, phase, waitingFor, ...given({ outcome, loop, waits: waitsIn(facts), usage }) };
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-run') return undefined;
    throw error;
  }
}

/**
 * Whether a trace entry concerns the node: it decides on the plan, begins with the node's name, or is addressed to the
 * node.
 */
function concerns({ what, text, said }: TraceEntry, named: ReadonlySet<string | undefined>): boolean {
  if (what === 'compiled' || what === 'decision' || what === 'closed') return true;
  const [first = ''] = text.split(' ');
  if (named.has(first) || (said !== undefined && 'node' in said && named.has(said.node))) return true;
  return what === 'asked' || what === 'answer' ? named.has(first.replace(/:$/, '').split('.')[1]) : false;
}
