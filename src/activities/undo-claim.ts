/**
 * Claims the right to undo an effect of another run, so that only one step in any run begins to undo it. Entries of the
 * run that did the effect: <self>/undone/<binding>-<turn> the step that has begun <self>/undone/<binding>-<turn>-met-..
 * a step that has met that claim, and whose result a person may give <self>/undone/<binding>-<turn>-free that step had
 * no effect, or a person said so: the next turn counts
 */

import { readUndone, type TaskNode, type UndoneNode } from '../plan/index.ts';
import { quoteId } from '../plan/text/index.ts';
import {
  fits,
  given,
  idempotencyKey,
  type Noted,
  type ResultHandle,
  RunFailureError,
  runKey,
  runName,
  type Owner,
} from '../protocol/index.ts';
import { hashOf, rootIdOf, selfIn } from '../store/index.ts';
import { serverState, type ServerStateOf } from './predecessor.ts';
import { claimName, findFinished, type Finished, resultAt, storeFinished } from './run-records.ts';
import { enterJson, entryJson, type Stores } from './stores.ts';

const CLAIM = { workflowId: 'text', firstRunId: 'name', binding: 'name', until: 'count', claimToken: 'name?' } as const;

/**
 * Whether an effect is undone. `open` and `closed`: a step in an open or closed run has begun to undo it, without a
 * result yet.
 */
export interface UndoState {
  readonly is: 'free' | 'open' | 'closed' | 'undone';
  readonly run?: Owner;
  readonly binding?: string;
  /** The time until which the step may run, in ms since 1970. */
  readonly until?: number;
  readonly claimToken?: string;
  readonly finished?: Finished;
}

type Undone = Omit<UndoneNode, 'node'>;
const undoneName = (run: Owner, key: string, turn: number) => `${selfIn(run)}/undone/${hashOf(key)}-${turn}`;
const ownerOf = ({ workflowId, firstRunId }: Undone, namespace: string) => ({
  ...{ namespace, workflowId, firstRunId },
});

async function currentTurn(undone: Undone, namespace: string, stores: Stores): Promise<number> {
  const owner = ownerOf(undone, namespace);
  for (let turn = 0; ; turn += 1)
    if ((await stores.of(owner).entry(`${undoneName(owner, undone.key, turn)}-free`)) === undefined) return turn;
}

/** @param turn default: the one that counts */
export async function undoState(
  undone: Undone,
  namespace: string,
  stores: Stores,
  standingOf: ServerStateOf = serverState,
  turn?: number,
): Promise<UndoState> {
  const owner = ownerOf(undone, namespace);
  const name = undoneName(owner, undone.key, turn ?? (await currentTurn(undone, namespace, stores)));
  const claim = await entryJson(stores.of(owner), name);
  if (!fits(CLAIM, claim)) return { is: 'free' };
  const { binding, until, workflowId, firstRunId, claimToken } = claim;
  const run = { namespace, workflowId, firstRunId };
  const met = await Promise.all(
    (await stores.of(owner).names(`${name}-met-`)).map((one) => entryJson(stores.of(owner), one)),
  );
  for (const one of [claim, ...met]) {
    if (!fits(CLAIM, one)) continue;
    const by = { ...one, namespace };
    const finished = await findFinished(stores.of(by), by, one.binding);
    if (typeof finished === 'object') return { is: 'undone', run: by, binding: one.binding, finished };
  }
  const newest = await standingOf(workflowId);
  // An agent's claim has the first run id of its topmost run.
  const isOpen = newest.is === 'open' && (newest.firstRunId === firstRunId || rootIdOf(run) !== workflowId);
  return { is: isOpen ? 'open' : 'closed', run, binding, until, ...given({ claimToken }) };
}

interface Undoer {
  readonly place: Owner;
  readonly binding: string;
  readonly retry: number;
}

export type UndoClaim = Awaited<ReturnType<typeof openUndoClaim>>;

export async function openUndoClaim(
  node: TaskNode,
  { place, binding, retry }: Undoer,
  stores: Stores,
  standingOf?: ServerStateOf,
) {
  const undone = readUndone(node.undoes ?? '');
  if (undone === undefined) throw new RunFailureError('FATAL', `${node.id} does not name what it undoes`);
  const { namespace } = place;
  const owner = ownerOf(undone, namespace);
  const [own, there] = [stores.of(place), stores.of(owner)];
  const about = `${undone.node} of run ${quoteId(runName(owner))}`;
  const noteName = (nth: number) => claimName(place, idempotencyKey(place, binding, { retry: nth }));
  const free = (nth: number) =>
    enterJson(there, `${undoneName(owner, undone.key, nth)}-free`, {
      by: runName(place),
      at: new Date().toISOString(),
    });
  // If a person had the step repeated, the claim that the step had met then is free. Later claims are not.
  for (let earlier = 0; earlier < retry; earlier += 1) {
    const met = await entryJson(own, noteName(earlier));
    if (fits({ turn: 'count' }, met)) await free(met.turn);
  }
  const turn = await currentTurn(undone, namespace, stores);
  const key = `${runKey(owner)}/undo/${undone.key}/${turn}`;
  let isClaimed = false;
  const name = undoneName(owner, undone.key, turn);
  const step = { workflowId: place.workflowId, firstRunId: place.firstRunId, binding };

  return {
    about,
    owner,
    undone,
    /** The idempotency key of the step. All steps that undo the effect in this turn have the same key. */
    key,
    note,
    async state(): Promise<UndoState & { readonly isOwn: boolean }> {
      const state = await undoState(undone, namespace, stores, standingOf, turn);
      const isOwn = state.run !== undefined && runKey(state.run) === runKey(place) && state.binding === binding;
      return { ...state, isOwn };
    },
    /** Copies the result of another run's step to this run; undefined if the store no longer has the result. */
    async takeOver({ run, finished }: UndoState): Promise<(ResultHandle & Noted) | undefined> {
      const result = run && finished && (await resultAt(stores.of(run), finished.handle));
      if (result === undefined) return undefined;
      await storeFinished(own, place, binding, finished!, result.stored);
      return { ...finished!.handle, notes: [`run ${quoteId(runName(run!))} has undone ${about}`] };
    },
    /**
     * Claims the effect. Each attempt of an idempotent step makes the same claim.
     * @returns whether this step has it
     */
    async claim(attempt: Readonly<{ token?: string; claimToken?: string; until: number }>): Promise<boolean> {
      const bytes = Buffer.from(JSON.stringify({ effect: key, ...step, ...attempt }), 'utf8');
      isClaimed = bytes.equals(await there.enter(name, bytes));
      if (isClaimed) await note();
      return isClaimed;
    },
    /** The claimed step had no effect, so another step may undo the effect. */
    async release(): Promise<void> {
      if (isClaimed) await free(turn);
    },
  };

  /** Records that this step has met another step's claim. If a person settles this step, the claim is settled too. */
  async function note(): Promise<void> {
    await enterJson(own, noteName(retry), { effect: key, turn });
    await enterJson(there, `${name}-met-${hashOf(`${runKey(place)} ${binding}`)}`, { ...step, until: 0 });
  }
}
