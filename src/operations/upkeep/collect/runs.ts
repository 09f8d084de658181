/** The runs that are known, what they say, and whose things nobody needs any more. */

import { jsonIn } from '../../../plan/text/index.ts';
import { placeName, type Owner } from '../../../protocol/index.ts';
import { refOfBytes, type OpenedStore } from '../../../store/index.ts';
import { heirName, parentName, runIn } from '../../../activities/index.ts';
import { eachOf } from '../each-of.ts';
import { executionOf, executionsOf, readHistory, readSchedules, type Execution } from './histories.ts';
import { wordsIn } from './references.ts';
import type { Marks } from './marks.ts';
import type { Asked } from './users.ts';

export interface Runs {
  /** Lists what the servers know and reads the histories that are new, or were open when they were read. */
  look(signal?: AbortSignal): Promise<void>;
  /** Runs that a listing has overlooked are asked for by their ids, and read. */
  confirm(owners: readonly Owner[], signal?: AbortSignal): Promise<void>;
  isKnown(owner: Owner): boolean;
  /** How many there are. */
  readonly count: number;
}

export function createRuns(store: OpenedStore, asked: Asked, marks: Marks, count: () => void): Runs {
  const known = new Set<string>();
  const followed = new Set<string>();
  const read = new Map<string, { readonly isOpen: boolean }>();
  const places = [...asked.values()].flat();

  const know = async (owner: Owner): Promise<void> => {
    // A run that went on from others may yet ask what they have done.
    for (let one: Owner | undefined = owner; one !== undefined && !followed.has(placeName(one));) {
      followed.add(placeName(one));
      known.add(idOf(one));
      one = await linked(store, parentName(one), one);
    }
  };

  const readOne = async (execution: Execution): Promise<void> => {
    const { namespace, workflowId, runId, isOpen } = execution;
    const id = `${namespace} ${runId}`;
    if (read.get(id)?.isOpen === false) return;
    const children = new Set<string>();
    let chain = runId;
    const isThere = await readHistory(execution, {
      text: (text) => marks.see(wordsIn(text)),
      child: (child) => void children.add(child),
      chain: (first) => void (chain = first),
    });
    await know({ namespace, workflowId, chain });
    if (!isThere) return;
    read.set(id, { isOpen });
    for (const child of children) await know({ namespace, workflowId: child, chain });
    count();
  };

  const readAll = (executions: readonly Execution[], signal?: AbortSignal) =>
    eachOf(
      executions.map((execution) => ({ execution, bytes: 0 })),
      ({ execution }) => readOne(execution),
      signal,
    );

  return {
    async look(signal) {
      const found: Execution[] = [];
      for (const place of places) {
        for await (const execution of executionsOf(place)) found.push(execution);
        await readSchedules(place, { text: (text) => marks.see(wordsIn(text)) });
      }
      await readAll(found, signal);
    },

    async confirm(owners, signal) {
      const found: Execution[] = [];
      const unknown = new Map(owners.filter((one) => !known.has(idOf(one))).map((one) => [idOf(one), one]));
      const work = async ({ namespace, workflowId }: Owner) => {
        for (const place of asked.get(namespace) ?? []) {
          const execution = await executionOf(place, workflowId);
          if (execution !== undefined) found.push(execution);
        }
      };
      await eachOf(
        [...unknown.values()].map((owner) => ({ ...owner, bytes: 0 })),
        work,
        signal,
      );
      await readAll(found, signal);
    },

    isKnown: (owner) => known.has(idOf(owner)),
    get count() {
      return known.size;
    },
  };
}

/** The run that a run went on from, or that went on from it. */
async function linked(store: OpenedStore, name: string, owner: Owner): Promise<Owner | undefined> {
  const ref = await store.inventory.nameAt(refOfBytes(Buffer.from(name)));
  return ref === undefined ? undefined : runIn(jsonIn(await store.get(ref)), owner);
}

/** The run that goes on from another one, if one has said so. */
export function heirOf(store: OpenedStore, owner: Owner): Promise<Owner | undefined> {
  return linked(store, heirName(owner), owner);
}

/** Runs of one id are known together: as long as the server knows one, the question of the next tells what the others began. */
export function idOf({ namespace, workflowId }: Pick<Owner, 'namespace' | 'workflowId'>): string {
  return JSON.stringify([namespace, workflowId]);
}
