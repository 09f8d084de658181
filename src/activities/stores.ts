/** A worker's store as the activities of one run use it. */

import { Context } from '@temporalio/activity';
import {
  isRecord,
  type Owner,
  type LoadReply,
  type LoadRequest,
  type SaveReply,
  type SaveRequest,
} from '../protocol/index.ts';
import { jsonIn, messageOf } from '../plan/text/index.ts';
import {
  childrenOf,
  conversationScope,
  DOCUMENTS,
  AGENTS,
  hashOf,
  openResults,
  ownerScope,
  rootIdOf,
  runScope,
  STARTS,
  UNTRUSTED,
  StoreError,
  type Piece,
  type ResultStore,
  type Store,
  refOfBytes,
} from '../store/index.ts';

/** The run of an activity. @param request has the first run id, which the server does not report */
export function placeOf({ firstRunId }: { readonly firstRunId: string }): Owner {
  const { workflowNamespace: namespace = '', workflowExecution: { workflowId } = { workflowId: '' } } =
    Context.current().info;
  return { namespace, workflowId, firstRunId };
}

export interface Stores {
  readonly place: string;
  of(run: Owner): ResultStore;
  conversation(id: string): ResultStore;
  /** The scope for marks of resources to which runs wrote untrusted values. */
  readonly untrusted: ResultStore;
  readonly documents: ResultStore;
  /** The first run ids of all runs with this workflow id that have entries in the store. */
  chains(run: Owner): Promise<readonly string[]>;
  /** Binds a signed start message permanently to the first run that uses it. Returns whether this run is the first. */
  bindStart(run: Owner, signature: string): Promise<boolean>;
}

/** Maximum number of runs of one workflow id that are examined. Only the newest are. */
const MAX_CHAINS = 100;

export function openStores(store: Store): Stores {
  const results = openResults(store);
  return {
    place: store.place,
    of: (run) => results(runScope(run)),
    conversation: (id) => results(conversationScope(id)),
    untrusted: results(UNTRUSTED),
    documents: results(DOCUMENTS),
    async chains(run) {
      const chains: string[] = [];
      for await (const name of childrenOf(store, `${ownerScope(run)}/`)) if (name !== STARTS) chains.push(name);
      // Keeps only the newest runs: their ids (UUIDv7) sort by time.
      return chains.slice(-MAX_CHAINS);
    },
    async bindStart(run, signature) {
      const name = `${STARTS}/${hashOf(signature)}`;
      const bound = await enterJson(results(ownerScope(run)), name, { firstRunId: run.firstRunId });
      return isRecord(bound) && bound['firstRunId'] === run.firstRunId;
    },
  };
}

/** Marks every unexpected error of a store as an outage. Errors about a single result are not marked. */
export function markFaults(store: Store): Store {
  const marked = async <T>(code: 'unreadable' | 'unwritable', call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      throw new StoreError(code, `The result store at ${store.place} failed: ${messageOf(cause)}`, { cause });
    }
  };
  return {
    place: store.place,
    put: (key, bytes) => marked('unwritable', () => store.put(key, bytes)),
    ...(store.putUnder && { putUnder: (keys, bytes) => marked('unwritable', () => store.putUnder!(keys, bytes)) }),
    get: (key) => marked('unreadable', () => store.get(key)),
    async *list(prefix, after) {
      const keys = store.list(prefix, after)[Symbol.asyncIterator]();
      for (;;) {
        const next = await marked('unreadable', () => keys.next());
        if (next.done === true) return;
        yield next.value;
      }
    },
    remove: (keys) => marked('unwritable', () => store.remove(keys)),
  };
}

/** Adds the results of a conversation to the store of a run. Results that the run reads are copied to its own store. */
export function withConversation(own: ResultStore, conversation: ResultStore): ResultStore {
  return {
    ...own,
    async get(ref) {
      try {
        return await own.get(ref);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'not-found') throw error;
        const bytes = await conversation.get(ref).catch(() => Promise.reject(error));
        await own.put(bytes);
        return bytes;
      }
    },
  };
}

/**
 * The entries by which `store gc` finds the run on its server.
 * @param namespaceId the server's id of the namespace
 */
export function runNotes(run: Owner, namespaceId: string): readonly Piece[] {
  const { namespace, workflowId } = run;
  const root = rootIdOf(run);
  const note = jsonPiece('run', { namespace, namespaceId, workflowId: root });
  return root === workflowId ? [note] : [note, jsonPiece(`${AGENTS}${hashOf(workflowId)}`, { workflowId })];
}

export function jsonPiece(name: string, value: object): Piece {
  return [Buffer.from(JSON.stringify(value), 'utf8'), name];
}

/** Stores a value unless the name exists. Returns the stored value; undefined if the stored value is not JSON. */
export async function enterJson(store: ResultStore, name: string, value: object): Promise<unknown> {
  return jsonIn(await store.enter(name, Buffer.from(JSON.stringify(value), 'utf8')));
}

/** Reads an entry; undefined if it is missing or malformed. Throws only if the store is unavailable. */
export async function entryJson(store: ResultStore, name: string): Promise<unknown> {
  return jsonIn((await store.entry(name).catch(unlessAway)) ?? '');
}

export function unlessAway(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.code === 'unreadable') throw error;
}

export async function savePages({ pages }: Pick<SaveRequest, 'pages'>, store: ResultStore): Promise<SaveReply> {
  const contents = pages.map((page) => Buffer.from(page, 'utf8'));
  await store.putAtOnce(contents.map((bytes) => [bytes]));
  return { refs: contents.map(refOfBytes) };
}

/** Loads a page of a plan's compile. @throws StoreError if the page is missing or was changed */
export async function loadPage({ ref }: LoadRequest, store: ResultStore): Promise<LoadReply> {
  return { page: Buffer.from(await store.get(ref)).toString('utf8') };
}
