/** Follows a run to its end, and kills its worker on the way. */

import { setTimeout as pause } from 'node:timers/promises';
import type { CompiledPlan, NodeId } from 'planwright';
import type { RunEnd, RunHandle } from 'planwright/client';
import { counted } from '../../words.ts';
import {
  readLedger,
  stateLine,
  type DemoWorker,
  type LedgerEntry,
  type NodeState,
  type Stage,
} from '../../stage/index.ts';
import { openNodes, type Kill } from './proof.ts';
import { factsOf, type RunFacts } from './run-facts.ts';

interface WatchOptions {
  readonly stage: Stage;
  readonly run: RunHandle;
  readonly plan: CompiledPlan;
  readonly worker: DemoWorker;
  /** Whether to kill the worker once. */
  readonly kill: boolean;
}

export interface Watched {
  readonly end: RunEnd;
  /** Seconds from the approval to the end. */
  readonly seconds: number;
  readonly facts: RunFacts;
  readonly ledger: readonly LedgerEntry[];
  /** Absent when the run ended before there was a moment for it. */
  readonly kill?: Kill;
  /** The one that is there at the end. */
  readonly worker: DemoWorker;
}

const POLL_MS = 50;
/** Enough that it is a loss to do them again. */
const FINISHED_BEFORE_KILL = 3;

export async function watchRun({ stage, run, plan, kill: wantsKill, worker: first }: WatchOptions): Promise<Watched> {
  const { screen, signal } = stage;
  const began = Date.now();
  const told = new Map<NodeId, NodeState['standing']>();
  let worker = first;
  let kill: Kill | undefined;
  let ending: { readonly end: RunEnd } | { readonly error: unknown } | undefined;
  run.end(signal).then(
    (end) => (ending = { end }),
    (error: unknown) => (ending = { error }),
  );

  for (;;) {
    // The order matters: a run that has ended has all of its facts.
    const ended = ending;
    const facts = await readFacts(stage);
    const ledger = readLedger(stage.ledgerFile);
    tell(facts, ledger);
    if (ended !== undefined) {
      if ('error' in ended) throw ended.error;
      return { end: ended.end, seconds: (Date.now() - began) / 1000, facts, ledger, worker, ...(kill && { kill }) };
    }
    if (wantsKill && kill === undefined && isKillMoment(facts, ledger)) {
      [worker, kill] = await replace(worker);
    }
    await pause(POLL_MS, undefined, { signal });
  }

  async function replace(victim: DemoWorker): Promise<[DemoWorker, Kill]> {
    const { paint } = screen;
    await victim.kill();
    // No worker is left to complete anything: the server knows all that had finished.
    const facts = await readFacts(stage);
    const ledger = readLedger(stage.ledgerFile);
    const { completed } = facts;
    const inFlight = [...openNodes(ledger)].filter((node) => !completed.has(node));
    kill = { pid: victim.pid, finished: new Set(completed.keys()), inFlight: new Set(inFlight) };
    tell(facts, ledger);
    const lost = inFlight.join(', ');
    screen.say(
      '',
      `${paint('red', `worker ${victim.pid} killed`)} with SIGKILL: ${completed.size} nodes had finished,`,
      `  ${lost} was in flight`,
    );
    const next = await stage.startWorker();
    screen.say(
      `${paint('green', `worker ${next.pid} started`)} and goes on;`,
      `  ${lost} is handed out again when its heartbeat is overdue`,
      '',
    );
    return [next, kill];
  }

  function tell({ completed }: RunFacts, ledger: readonly LedgerEntry[]): void {
    const states = statesOf(completed, ledger, kill?.pid);
    for (const [id, state] of states) {
      if (state.standing === 'running' || state.standing === told.get(id)) continue;
      told.set(id, state.standing);
      screen.say(stateLine(plan, id, state, stage));
    }
  }
}

/** Some nodes have finished, others are in flight, and nothing is on its way between the worker and the server. */
export function isKillMoment({ completed, isQuiet }: RunFacts, ledger: readonly LedgerEntry[]): boolean {
  const isTold = ledger.every(({ what, nodeId }) => what !== 'succeeded' || completed.has(nodeId));
  return isQuiet && isTold && completed.size >= FINISHED_BEFORE_KILL && openNodes(ledger).size > 0;
}

async function readFacts({ client, workflowId }: Stage): Promise<RunFacts> {
  return factsOf(await client.workflow.getHandle(workflowId).fetchHistory());
}

function statesOf(
  completed: RunFacts['completed'],
  ledger: readonly LedgerEntry[],
  lost?: number,
): ReadonlyMap<NodeId, NodeState> {
  const states = new Map<NodeId, NodeState>();
  for (const { nodeId, pid } of ledger) states.set(nodeId, { standing: pid === lost ? 'lost' : 'running' });
  for (const [node, count] of completed) states.set(node, { standing: 'succeeded', gave: counted(count, 'record') });
  return states;
}
