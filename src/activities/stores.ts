/** The store of a worker, as the activities of a run see it. */

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
  StoreError,
  type Piece,
  type ResultStore,
  type Store,
  refOfBytes,
} from '../store/index.ts';

/**
 * The run of an activity.
 * @param request from its run, since the server does not report the chain of the run to an activity
 */
export function placeOf({ chain }: { readonly chain: string }): Owner {
  const { workflowNamespace: namespace = '', workflowExecution: { workflowId } = { workflowId: '' } } =
    Context.current().info;
  return { namespace, workflowId, chain };
}

/** The parts of the store of a worker. */
export interface Stores {
  /** For messages to people. */
  readonly place: string;
  /** That of a run, which its agents have too. */
  of(run: Owner): ResultStore;
  conversation(id: string): ResultStore;
  /** The store in which a client puts the documents of runs. */
  readonly documents: ResultStore;
  /** The first run ids of all runs of this workflow id that have entries in the store. */
  chains(run: Owner): Promise<readonly string[]>;
  /** Whether a signed start, by its signature, is that of this run: the first that shows it has it for good. */
  bindStart(run: Owner, signature: string): Promise<boolean>;
}

/** Runs of one workflow id that are looked at, the last ones. */
const MOST_CHAINS = 100;

export function openStores(store: Store): Stores {
  const results = openResults(store);
  return {
    place: store.place,
    of: (run) => results(runScope(run)),
    conversation: (id) => results(conversationScope(id)),
    documents: results(DOCUMENTS),
    async chains(run) {
      const chains: string[] = [];
      for await (const name of childrenOf(store, `${ownerScope(run)}/`)) if (name !== STARTS) chains.push(name);
      // They begin with their time (UUIDv7).
      return chains.slice(-MOST_CHAINS);
    },
    async bindStart(run, signature) {
      const name = `${STARTS}/${hashOf(signature)}`;
      const bound = await enterJson(results(ownerScope(run)), name, { chain: run.chain });
      return isRecord(bound) && bound['chain'] === run.chain;
    },
  };
}

/** Marks the faults of a store: every error except an answer about a result. */
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

/** What a run finds in its conversation it has itself from then on. */
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

/** The ids that upkeep asks the server for. @param namespaceId another server may have a namespace of the same name */
export function runNotes(run: Owner, namespaceId: string): readonly Piece[] {
  const { namespace, workflowId } = run;
  const root = rootIdOf(run);
  const note = jsonPiece('run', { namespace, namespaceId, workflowId: root });
  return root === workflowId ? [note] : [note, jsonPiece(`${AGENTS}${hashOf(workflowId)}`, { workflowId })];
}

export function jsonPiece(name: string, value: object): Piece {
  return [Buffer.from(JSON.stringify(value), 'utf8'), name];
}

/**
 * Stores this value under a name unless there is one; returns what is there afterwards, undefined if it is not JSON.
 */
export async function enterJson(store: ResultStore, name: string, value: object): Promise<unknown> {
  return jsonIn(await store.enter(name, Buffer.from(JSON.stringify(value), 'utf8')));
}

/** A store that cannot be read is a fault to be waited out; an entry that is missing, or was changed, is an answer. */
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

/** @throws StoreError when the page is not there, or is not what was stored */
export async function loadPage({ ref }: LoadRequest, store: ResultStore): Promise<LoadReply> {
  return { page: Buffer.from(await store.get(ref)).toString('utf8') };
}
