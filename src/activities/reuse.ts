/** Finds what a plan can reuse from a closed run: finished nodes, and effects that may have happened. */

import { Context, getClient } from '@temporalio/activity';
import pLimit from 'p-limit';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { counted, messageOf, oneLine, quote, quoteId } from '../plan/text/index.ts';
import {
  aborted,
  idempotencyKey,
  isRecord,
  nodeId,
  runName,
  type Reuse,
  type ReuseRequest,
  type PlanShape,
  type Owner,
  ANSWERS,
  problemOf,
  type NodeStatus,
  type ViewPage,
  type ViewRequest,
  timeoutSignal,
} from '../protocol/index.ts';
import { refOfDigest, type Result, StoreError, type ResultStore } from '../store/index.ts';
import {
  claimName,
  effectNames,
  findFinished,
  storeFinished,
  notedPlan,
  resultAt,
  type Finished,
} from './run-records.ts';
import { enterJson, entryJson, type Stores } from './stores.ts';
import { judgeReuse, type ReuseFacts } from './judge-reuse.ts';
import { refused } from './predecessor.ts';
import { type Revision, readPlan } from './revision.ts';
import { lastExecution } from '../protocol/executions.ts';

const LOOKUPS = 16;
/** Time limit in ms for all checks whether the data that nodes read or wrote have changed. */
const LOOK_MS = 30_000;
const FORGOTTEN = 'its history says that it was done, and the store has nothing of it';
const AGENT = 'what its agent has done there is not known here';

type Plan = Pick<PlanShape, 'inputs' | 'executors' | 'executorOf' | 'digest'>;

/** What a closed run has done of a plan. Finding it changes nothing. */
export interface OpenReuse {
  readonly reuse: Reuse;
  /** @throws RunFailureError `InvalidInput` if the closed run had another plan and executed no node of this plan */
  check(): Promise<void>;
  /**
   * Copies the results into this run, after the closed run is linked. Later runs can then reuse this run.
   * @param passed earlier runs that were to reuse the closed one and began nothing
   */
  take(passed: readonly Owner[]): Promise<Reuse>;
}

/** Looks up every node of a compiled plan in the closed run, without changing that run. */
export async function openReuse(
  plan: Plan,
  revision: Revision,
  request: ReuseRequest & { readonly closed: Owner },
  own: Owner,
  { stores, registry }: { readonly stores: Stores; readonly registry: CapabilityRegistry },
): Promise<OpenReuse> {
  const { closed } = request;
  const [store, ownStore] = [stores.of(closed), stores.of(own)];
  const over = AbortSignal.any([Context.current().cancellationSignal, timeoutSignal(LOOK_MS)]);
  let doneThere: Promise<IsDone> | undefined;
  const nodes = plan.executorOf.map((at, node) => {
    const { effect = 'read', name, kind } = plan.executors[at]!;
    // An agent's effects are stored under the agent's own runs.
    const isHidden = kind === 'agent' && effect === 'at-most-once';
    return { effect, name, isHidden, binding: revision.bindingOf(nodeId(node)) ?? '' };
  });
  const found = await pLimit(LOOKUPS).map(nodes.keys(), find);

  return {
    reuse: judgeReuse(found, request),
    async check() {
      if (found.some(({ finished, reason, began }) => (finished ?? reason ?? began) !== undefined)) return;
      if ((await notedPlan(store, closed)) === refOfDigest(plan.digest)) return;
      const begun = (await effectNames(store, closed)).length;
      const again =
        begun > 0 ? `, which may repeat the ${counted(begun, 'at-most-once effect')} that it has begun` : '';
      const ways = `give the plan of that run, or start this one without "reuse"${again}`;
      throw refused(`nothing that run ${quoteId(request.of)} has finished is a node of this plan; ${ways}`);
    },
    async take(passed) {
      await eachNode(async (node) => {
        const { effect, finished } = found[node]!;
        if (effect !== 'at-most-once' || finished !== undefined || nodes[node]!.isHidden) return;
        found[node] = { ...found[node]!, began: undefined, ...(await beganIn(node, passed)) };
      });
      const reuse = judgeReuse(found, request);
      await eachNode(async (node) => {
        const { binding, isHidden } = nodes[node]!;
        if (reuse.done[node] !== undefined) await storeFinished(ownStore, own, binding, found[node]!.finished!);
        // A later run that reuses this one must know about the effect too.
        else if (reuse.begun[node] !== undefined && !isHidden)
          await enterJson(ownStore, claimName(own, idempotencyKey(own, binding)), { begunIn: runName(closed) });
      });
      // `store gc` removes the plan of a run before its results. So if the plan exists now, the lookups missed nothing.
      if ((await notedPlan(store, closed)) !== undefined) return reuse;
      throw refused(
        `run ${quoteId(request.of)} is being removed from the store at ${stores.place}; start it without "reuse"`,
      );
    },
  };

  async function eachNode(work: (node: number) => Promise<void>): Promise<void> {
    await pLimit(LOOKUPS).map(nodes.keys(), work);
  }

  async function find(node: number): Promise<ReuseFacts> {
    const { effect, name, isHidden, binding } = nodes[node]!;
    const facts = { effect, inputs: plan.inputs[node] ?? [] };
    if (isHidden) return { ...facts, began: request.of, reason: AGENT };
    const finished = await findFinished(store, closed, binding);
    const isAgain = effect === 'read' && request.fresh === true;
    const result = finished && (isAgain ? 'it is read again' : await resultOf(finished, node));
    if (typeof result === 'object')
      return { ...facts, finished: finished as Finished, changed: await changeOf(result, name) };
    return { ...facts, reason: result, ...(effect === 'at-most-once' && (await beganIn(node))) };
  }

  /** Copies a result into the store of this run. @returns the result, or the reason why it cannot be used */
  async function resultOf(finished: Finished | 'malformed', node: number): Promise<Result | string> {
    if (finished === 'malformed') return 'what the store has of it is no result';
    const { executor, handle } = finished;
    const here = revision.executorOf(nodeId(node));
    if (executor !== here) return `it was done by "${oneLine(executor)}", and here it is "${oneLine(here ?? 'none')}"`;
    const there = await resultAt(store, handle);
    if (there === undefined) return `its result is not in the store at ${stores.place}`;
    await ownStore.put(there.stored);
    return there.result;
  }

  /** Asks the capability whether the data have changed. If it cannot say, `records.file` checks a file. */
  async function changeOf(result: Result, name = ''): Promise<string | undefined> {
    const source = result.kind === 'set' ? result.set.source : undefined;
    const looks = [registry.capability(name), source && registry.capability('records.file')];
    const one = looks.find((capability) => capability?.changedSince !== undefined);
    if (one === undefined) return source && `nobody here can see whether ${quote(source.path)} has changed`;
    try {
      return await Promise.race([one.changedSince!(result, over), aborted(over)]);
    } catch (error) {
      Context.current().cancellationSignal.throwIfAborted();
      return `it is not known whether what ${one.name} used has changed: ${messageOf(error)}`;
    }
  }

  /**
   * Whether an at-most-once effect without a result has begun.
   * @param passed further runs, in which it is claimed
   */
  async function beganIn(node: number, passed?: readonly Owner[]): Promise<Pick<ReuseFacts, 'began' | 'reason'>> {
    const { binding } = nodes[node]!;
    for (const run of [closed, ...(passed ?? [])]) {
      const claim = claimName(run, idempotencyKey(run, binding));
      const takenOver = { takenOverBy: runName(own) };
      const claimed = await (passed ? enterJson(stores.of(run), claim, takenOver) : entryJson(stores.of(run), claim));
      const isFree = claimed === undefined || (isRecord(claimed) && typeof claimed['takenOverBy'] === 'string');
      if (!isFree) return { began: run.workflowId };
    }
    // A store that was restored from a backup may lack both the claim and the result.
    const isForgotten = (await (doneThere ??= doneByServer(closed, store)))(
      revision.plan.nodesById[nodeId(node)]?.key ?? '',
    );
    return isForgotten ? { began: closed.workflowId, reason: FORGOTTEN } : {};
  }
}

/** True if the effect of the node with this key happened, or may have happened, in the closed run. */
export type IsDone = (key: string) => boolean;

const DONE: readonly NodeStatus[] = ['succeeded', 'reused', 'uncertain'];
const NODES_PER_PAGE = 500;
const ANSWER_MS = 15_000;

/** Asks a closed run what it has done. If the store lacks its plan, every effect counts as possibly done. */
export async function doneByServer({ workflowId, firstRunId }: Owner, store: ResultStore): Promise<IsDone> {
  const { workflow } = getClient();
  const asked = <T>(call: () => Promise<T>) => workflow.withDeadline(Date.now() + ANSWER_MS, call);
  const runId = await asked(() => lastExecution(workflow, workflowId, firstRunId));
  // The server has deleted the run, so only the store can know about it.
  if (runId === undefined) return () => false;
  const handle = workflow.getHandle(workflowId, runId);
  const { historyLength: ended } = await asked(() => handle.describe());
  const ids = new Set<string>();
  let digest = '';
  let rest: ViewRequest | undefined = { ended, parts: ['plan', 'nodes'], nodes: { limit: NODES_PER_PAGE } };
  while (rest !== undefined) {
    const request: ViewRequest = rest;
    const page = validView(await asked(() => handle.query<ViewPage, [ViewRequest]>('view', request)), workflowId);
    for (const { id, status } of page.nodes?.nodes ?? []) if (DONE.includes(status)) ids.add(id);
    digest = page.plan?.digest ?? digest;
    rest = page.rest;
  }
  if (ids.size === 0) return () => false;
  try {
    const { nodesById } = await readPlan(store, digest);
    const keys = new Set([...ids].map((id) => nodesById[id]?.key));
    return (key) => keys.has(key);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not-found') return () => true;
    throw error;
  }
}

function validView(told: ViewPage, workflowId: string): ViewPage {
  const problem = problemOf(ANSWERS.view, told);
  if (problem === undefined) return told;
  throw new TypeError(`the query view of ${workflowId} was answered with what is no answer; ${problem}`);
}
