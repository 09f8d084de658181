/**
 * The work that a plan takes over of a closed run: which of its nodes finished there, and which may have happened
 * without a result.
 */

import { getClient } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import {
  idempotencyKey,
  isRecord,
  nodeId,
  ownedBy,
  type Reuse,
  type ReuseRequest,
  type RunSlice,
} from '../../wire/contract/index.ts';
import type { Effect } from '../../language/plan/index.ts';
import { refOfDigest, type ResultStore } from '../../wire/results/index.ts';
import { cutBytes, oneLine, quote } from '../../language/text/index.ts';
import { RunFailureError } from '../../wire/contract/index.ts';
import { doneByServer, type DoneThere } from './done-there.ts';
import {
  bindJson,
  boundJson,
  claimName,
  findFinished,
  heirName,
  isResultThere,
  parentName,
  planOf,
  type Finished,
  type RunPlace,
} from './finished.ts';
import type { Revision } from './revision.ts';

/** How a run stands with the server. `unknown`: it has none of that id, or none any more. */
export type StandingOf = (workflowId: string) => Promise<'open' | 'closed' | 'unknown'>;

/** Nodes that are looked up at once. */
const LOOKUPS = 16;
/** Nodes that are told with the reason why they are not reused. */
const NAMED = 10;
const TEXT_BYTES = 2000;

export async function standingByServer(workflowId: string): Promise<'open' | 'closed' | 'unknown'> {
  try {
    const { status } = await getClient().workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' || status.name === 'PAUSED' ? 'open' : 'closed';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'unknown';
    throw error;
  }
}

/**
 * Makes `own` the one run that goes on from a closed one. A second one would not know what the first has done since.
 * @throws RunFailureError `InvalidInput` where it may not
 */
export async function takeOver(
  workflowId: string,
  own: RunPlace,
  store: ResultStore,
  standingOf: StandingOf = standingByServer,
): Promise<void> {
  const old = { ...own, workflowId };
  const run = `run ${quote(workflowId)}`;
  if (workflowId === own.workflowId) throw refused(`${run} cannot go on from itself; name a closed run`);
  const [standing, plan] = [await standingOf(workflowId), await planOf(store, old)];
  if (standing === 'open') throw refused(`${run} is open; wait for its end, or end it with "control kill"`);
  if (plan === undefined && standing === 'unknown') {
    throw refused(`there is no ${run} in namespace ${own.namespace}; "planwright list" names those that there are`);
  }
  if (plan === undefined) {
    const reasons = 'it is of another project or store, never had a plan, or was decided step by step';
    throw refused(`the store at ${store.place} has nothing of ${run}: ${reasons}; give the store that its workers had`);
  }
  const parent = await bindJson(store, parentName(own), { run: workflowId, ...ownedBy(own) });
  if (runIn(parent) !== workflowId) throw refused(`a run ${quote(own.workflowId)} went on from another; take a new id`);
  const heir = runIn(await bindJson(store, heirName(old), { run: own.workflowId, ...ownedBy(old) }));
  if (heir === own.workflowId) return;
  throw refused(
    `${run} is reused by run ${quote(heir ?? 'unknown')}, and by one at a time; name that one when it has closed: what both have finished is reused then`,
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

/** Looks every node of a compiled plan up under the closed run, and those that it went on from itself. */
export async function reuseOf(
  slice: Pick<RunSlice, 'inputs' | 'executors' | 'executorOf'>,
  revision: Revision,
  request: ReuseRequest,
  own: RunPlace,
  store: ResultStore,
): Promise<Reuse> {
  const told = new Map<string, Promise<DoneThere>>();
  const toldOf = ({ workflowId }: RunPlace) => {
    const telling = told.get(workflowId) ?? doneByServer(workflowId, store);
    told.set(workflowId, telling);
    return telling;
  };
  const places = await placesOf({ ...own, workflowId: request.of }, store);
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
  if ((await planOf(store, { ...own, workflowId: request.of })) !== undefined) return taken;
  throw refused(`run ${quote(request.of)} is being removed from the store at ${store.place}; start it without "reuse"`);

  async function find(node: number, effect: Effect): Promise<Pick<Sought, 'finished' | 'reason' | 'began'>> {
    const id = nodeId(node);
    const binding = revision.bindingOf(id) ?? '';
    let reason: string | undefined;
    for (const place of places) {
      const finished = await findFinished(store, place, binding);
      if (finished === undefined) continue;
      const why = await problemOf(finished, revision, id, effect, store);
      if (why === undefined) return { finished: finished as Finished };
      reason ??= `${why} (run ${oneLine(place.workflowId)})`;
    }
    if (effect !== 'at-most-once') return { reason };
    for (const place of places) {
      // An attempt that is late there cannot begin it any more: it is this run's to begin.
      const claim = claimName(idempotencyKey(place, binding));
      const claimed = await bindJson(store, claim, { takenOverBy: own.workflowId, ...ownedBy(place) });
      if (!isRecord(claimed) || typeof claimed['takenOverBy'] !== 'string') return { reason, began: place.workflowId };
      // A store that was restored from a copy may have lost the claim with the result.
      const isDone = await toldOf(place);
      if (isDone(revision.plan.nodesById[id]?.key ?? '')) return { reason: FORGOTTEN, began: place.workflowId };
    }
    return { reason };
  }
}

/** The plan of a run that is to reuse something has nothing that was done or begun: then it is another plan, or a mistake. */
export async function checkUse({ of, done, begun }: Reuse, digest: string, own: RunPlace, store: ResultStore) {
  if (Object.keys(done).length + Object.keys(begun).length > 0) return;
  if ((await planOf(store, { ...own, workflowId: of })) === refOfDigest(digest)) return;
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

function otherInputs(inputs: readonly number[], { inputs: given }: Finished, done: Reuse['done']): string | undefined {
  const fresh = inputs.find((input) => done[input] === undefined);
  if (fresh !== undefined) return `it takes ${nodeId(fresh)}, which is not reused`;
  const isSame = given === undefined || inputs.every((input, at) => done[input]?.ref === given[at]);
  return isSame ? undefined : 'it was given other results';
}

function some(texts: readonly string[], between: string): string {
  const more = texts.length - NAMED;
  return `${texts.slice(0, NAMED).join(between)}${more > 0 ? `${between}and ${more} more` : ''}`;
}

async function problemOf(
  finished: Exclude<Awaited<ReturnType<typeof findFinished>>, undefined>,
  revision: Revision,
  id: string,
  effect: Effect,
  store: ResultStore,
): Promise<string | undefined> {
  if (finished === 'malformed') return 'what the store has of it is no result';
  const { executor, isDisputed, handle } = finished;
  const here = revision.executorOf(id);
  if (executor !== here) return `it was done by "${oneLine(executor)}", and here it is "${oneLine(here ?? 'none')}"`;
  if (isDisputed && effect === 'read') return 'it has two results';
  return (await isResultThere(store, handle)) ? undefined : `its result is not in the store at ${store.place}`;
}

/** The run, the one that it went on from, and so on. A link holds where both runs say so. */
async function placesOf(first: RunPlace, store: ResultStore): Promise<readonly RunPlace[]> {
  const places = new Map<string, RunPlace>();
  for (let place: RunPlace | undefined = first; place !== undefined && !places.has(place.workflowId);) {
    places.set(place.workflowId, place);
    const parent = runIn(await boundJson(store, parentName(place)));
    const before: RunPlace | undefined = parent === undefined ? undefined : { ...first, workflowId: parent };
    const isHeir: boolean | undefined = before && runIn(await boundJson(store, heirName(before))) === place.workflowId;
    place = isHeir ? before : undefined;
  }
  return [...places.values()];
}

function runIn(value: unknown): string | undefined {
  return isRecord(value) && typeof value['run'] === 'string' ? value['run'] : undefined;
}

function refused(problem: string): RunFailureError {
  return new RunFailureError('InvalidInput', `$.options.reuse: ${problem}`);
}
