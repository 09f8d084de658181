/**
 * The work that a plan takes over of a closed run: which of its nodes finished there, and which may have happened
 * without a result.
 */

import { getClient } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import {
  given,
  idempotencyKey,
  isRecord,
  nodeId,
  placeName,
  readRunName,
  runName,
  type Reuse,
  type ReuseRequest,
  type RunSlice,
} from '../protocol/index.ts';
import type { Effect } from '../plan/index.ts';
import { refOfDigest, type ResultStore } from '../store/index.ts';
import { cutBytes, oneLine, quote } from '../plan/text/index.ts';
import { RunFailureError } from '../protocol/index.ts';
import { doneByServer, type DoneThere } from './done-there.ts';
import {
  enterJson,
  entryJson,
  chainsOf,
  claimName,
  findFinished,
  keepFinished,
  linkTo,
  nextName,
  runIn,
  resultAt,
  parentName,
  planOf,
  type Finished,
  type RunPlace,
  type Stores,
} from './finished.ts';
import type { Revision } from './revision.ts';

/** How the newest run of an id stands with the server, and its chain. `unknown`: it has none of that id, or none any more. */
export interface Standing {
  readonly is: 'open' | 'closed' | 'unknown';
  readonly chain?: string;
}

export type StandingOf = (workflowId: string) => Promise<Standing>;

/**
 * @bound nodes of a closed run that are looked up at once
 * @beyond they wait
 */
const LOOKUPS = 16;
/**
 * Nodes that are told with the reason why they are not reused.
 * @bound nodes that are told with the reason why they are not reused
 * @beyond counted
 */
const NAMED = 10;
const TEXT_BYTES = 2000;

export async function standingByServer(workflowId: string): Promise<Standing> {
  try {
    const { status, raw } = await getClient().workflow.getHandle(workflowId).describe();
    const chain = raw.workflowExecutionInfo?.firstRunId || undefined;
    return { is: status.name === 'RUNNING' || status.name === 'PAUSED' ? 'open' : 'closed', ...given({ chain }) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { is: 'unknown' };
    throw error;
  }
}

/**
 * Makes `own` the one run that goes on from a closed one. A second one would not know what the first has done since.
 * @throws RunFailureError `InvalidInput` where it may not
 */
export async function takeOver(
  name: string,
  own: RunPlace,
  stores: Stores,
  standingOf: StandingOf = standingByServer,
): Promise<void> {
  const { workflowId, digits } = readRunName(name);
  const run = `run ${quote(name)}`;
  const newest = await standingOf(workflowId);
  const known = (await chainsOf(stores, { ...own, workflowId })).map(({ chain }) => chain);
  const chain = [newest.chain ?? [], known].flat().find((one) => one.endsWith(digits ?? ''));
  const old = { ...own, workflowId, chain: chain ?? '' };
  if (isSameRun(old, own))
    throw refused(
      `${run} cannot go on from itself; name a closed run, one before it as ${quote(`${workflowId}@DIGITS`)}`,
    );
  const plan = chain === undefined ? undefined : await planOf(stores.of(old), old);
  const standing = newest.chain === chain || newest.is === 'unknown' ? newest.is : 'closed';
  if (standing === 'open') throw refused(`${run} is open; wait for its end, or end it with "control kill"`);
  if (plan === undefined && standing === 'unknown') {
    throw refused(`there is no ${run} in namespace ${own.namespace}; "planwright list" names those that there are`);
  }
  if (plan === undefined) {
    const reasons = 'it is of another project or store, never had a plan, or was decided step by step';
    throw refused(
      `the store at ${stores.place} has nothing of ${run}: ${reasons}; give the store that its workers had`,
    );
  }
  const parent = runIn(await enterJson(stores.of(own), parentName(own), linkTo(old)), own);
  if (!isSameRun(parent, old)) throw refused(`a run ${quote(own.workflowId)} went on from another; take a new id`);
  const next = runIn(await enterJson(stores.of(old), nextName(old), linkTo(own)), own);
  if (isSameRun(next, own)) return;
  throw refused(
    `${run} is reused by run ${quote(next === undefined ? 'unknown' : runName(next))}, and by one at a time; name that one when it has closed: what both have finished is reused then`,
  );
}

const FORGOTTEN = 'its history says that it was done, and the store has nothing of it';
const AGENT = 'what its agent has done there is not known here';

/** The facts of one node that tell whether it is reused. */
export interface Sought {
  readonly effect: Effect;
  readonly inputs: readonly number[];
  /** Its result of before, by the same executor in the same context. */
  readonly finished?: Finished | undefined;
  /** Why there is none, where something is known of it. */
  readonly reason?: string | undefined;
  /** The run in which its effect began without such a result. */
  readonly began?: string | undefined;
}

/**
 * Looks every node of a compiled plan up under the closed run. What is taken over is copied, with what is kept of it, so that the run
 * can be gone on from in its turn.
 */
export async function reuseOf(
  slice: Pick<RunSlice, 'inputs' | 'executors' | 'executorOf'>,
  revision: Revision,
  request: ReuseRequest & { readonly closed: RunPlace },
  own: RunPlace,
  stores: Stores,
): Promise<Reuse> {
  const { closed } = request;
  const [store, ownStore] = [stores.of(closed), stores.of(own)];
  let telling: Promise<DoneThere> | undefined;
  const found = new Array<Sought>(slice.inputs.length);
  let next = 0;
  const work = async () => {
    for (let node = next++; node < found.length; node = next++) {
      const { effect = 'read', kind } = slice.executors[slice.executorOf[node] ?? -1] ?? {};
      const inputs = slice.inputs[node] ?? [];
      // The effects of an agent are bound under its own runs.
      const isHidden = kind === 'agent' && effect === 'at-most-once';
      const known = isHidden ? { began: request.of, reason: AGENT } : await find(node, effect);
      found[node] = { effect, inputs, ...known };
    }
  };
  await Promise.all(Array.from({ length: LOOKUPS }, work));
  const taken = judgeReuse(found, request);
  // `store gc` takes the plan of a run away first: what was found before is whole, and what was taken over was stored anew.
  if ((await planOf(store, closed)) !== undefined) return taken;
  throw refused(
    `run ${quote(request.of)} is being removed from the store at ${stores.place}; start it without "reuse"`,
  );

  async function find(node: number, effect: Effect): Promise<Pick<Sought, 'finished' | 'reason' | 'began'>> {
    const id = nodeId(node);
    const binding = revision.bindingOf(id) ?? '';
    const finished = await findFinished(store, closed, binding);
    const reason = finished && (await takeFinished(finished, id, binding));
    if (finished !== undefined && reason === undefined) return { finished: finished as Finished };
    if (effect !== 'at-most-once') return { reason };
    // An attempt that is late there cannot begin it any more: it is this run's to begin.
    const claim = claimName(closed, idempotencyKey(closed, binding));
    const claimed = await enterJson(store, claim, { takenOverBy: runName(own) });
    const isTaken = isRecord(claimed) && typeof claimed['takenOverBy'] === 'string';
    // A store that was restored from a copy may have lost the claim with the result.
    const isForgotten =
      isTaken && (await (telling ??= doneByServer(closed, store)))(revision.plan.nodesById[id]?.key ?? '');
    if (isTaken && !isForgotten) return { reason };
    // Who goes on from this run is to know it too.
    await enterJson(ownStore, claimName(own, idempotencyKey(own, binding)), { begunIn: runName(closed) });
    return { reason: isForgotten ? FORGOTTEN : reason, began: closed.workflowId };
  }

  /** @returns undefined where it is this run's now, else why it cannot be */
  async function takeFinished(
    finished: Finished | 'malformed',
    id: string,
    binding: string,
  ): Promise<string | undefined> {
    if (finished === 'malformed') return 'what the store has of it is no result';
    const { executor, handle } = finished;
    const here = revision.executorOf(id);
    if (executor !== here) return `it was done by "${oneLine(executor)}", and here it is "${oneLine(here ?? 'none')}"`;
    const bytes = await resultAt(store, handle);
    if (bytes === undefined) return `its result is not in the store at ${stores.place}`;
    await ownStore.put(bytes);
    await keepFinished(ownStore, own, binding, finished);
    return undefined;
  }
}

/** The plan of a run that is to reuse something has nothing that was done or begun: then it is another plan, or a mistake. */
export async function checkUse({ of, done, begun }: Reuse, digest: string, closed: RunPlace, stores: Stores) {
  if (Object.keys(done).length + Object.keys(begun).length > 0) return;
  if ((await planOf(stores.of(closed), closed)) === refOfDigest(digest)) return;
  throw refused(
    `nothing that run ${quote(of)} has finished is a node of this plan; start it without "reuse", or give the plan of that run`,
  );
}

/** Pure. An effect that was done counts as done; a read does where everything that it takes is what it was given. */
export function judgeReuse(sought: readonly Sought[], { of, fresh }: ReuseRequest): Reuse {
  const done: Record<number, Reuse['done'][number]> = {};
  const begun: Record<number, string> = {};
  const left: string[] = [];
  sought.forEach(({ effect, inputs, finished, reason, began }, node) => {
    const isAgain = effect === 'read' && fresh === true;
    const why = finished === undefined ? reason : effect === 'read' ? otherInputs(inputs, finished, done) : undefined;
    if (finished !== undefined && why === undefined && !isAgain) {
      done[node] = { ...finished.handle, at: finished.at };
    } else if (began !== undefined) {
      begun[node] =
        `its effect may have begun in run ${oneLine(began)}: ${reason ?? 'it has no result there'}; find out whether it happened, then resolve it, or have it done again with retry-node`;
    } else if (why !== undefined && !isAgain) {
      left.push(`${nodeId(node)}: ${why}`);
    }
  });
  const [count, open] = [Object.keys(done).length, Object.keys(begun).map((node) => nodeId(Number(node)))];
  const text = [
    `${count} of ${sought.length} nodes are reused from run ${oneLine(of)}`,
    ...(fresh === true ? ['what only reads is carried out again'] : []),
    ...(open.length === 0 ? [] : [`to be settled by a person first: ${some(open, ', ')}`]),
    ...(left.length === 0 ? [] : [`not reused: ${some(left, '; ')}`]),
  ].join('; ');
  return { of, done, begun, text: cutBytes(text, TEXT_BYTES) };
}

function otherInputs(inputs: readonly number[], { inputs: taken }: Finished, done: Reuse['done']): string | undefined {
  const fresh = inputs.find((input) => done[input] === undefined);
  if (fresh !== undefined) return `it takes ${nodeId(fresh)}, which is not reused`;
  const isSame = taken === undefined || inputs.every((input, at) => done[input]?.ref === taken[at]);
  return isSame ? undefined : 'it was given other results';
}

function some(texts: readonly string[], between: string): string {
  const more = texts.length - NAMED;
  return `${texts.slice(0, NAMED).join(between)}${more > 0 ? `${between}and ${more} more` : ''}`;
}

/** The run that a run has said it goes on from. */
export async function parentOf(place: RunPlace, store: ResultStore): Promise<RunPlace | undefined> {
  return runIn(await entryJson(store, parentName(place)), place);
}

function isSameRun(one: RunPlace | undefined, other: RunPlace): boolean {
  return one !== undefined && placeName(one) === placeName(other);
}

function refused(problem: string): RunFailureError {
  return new RunFailureError('InvalidInput', `$.options.reuse: ${problem}`);
}
