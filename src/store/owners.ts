/** The scopes of keys: which run, conversation or document a key belongs to. */

import { chainDigits, idInEachRun, type Owner } from '../protocol/index.ts';
import { sha256 } from './refs.ts';

/** All runs, by their owners: the id of a root in its namespace. */
export const RUNS = 'runs/';
/** Plan documents that a run has not read yet. */
export const DOCUMENTS = 'documents';
export const CONVERSATIONS = 'conversations/';
/** Beside the runs of an owner: which run each signed start belongs to. */
export const STARTS = 'starts';
/** In a run's part: the ids of its agents' runs, each recorded before it starts. */
export const AGENTS = 'family/';

/** Half a SHA-256, 128 bits, as hex: a valid segment of a key for any text. */
export function hashOf(content: string | Uint8Array): string {
  return sha256(content).subarray(0, 16).toString('hex');
}

/** The workflow id of the root run: the id of an agent's run begins with it (`agentsIdOf`). */
export function rootIdOf({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  return workflowId.split(`.${chainDigits(chain)}.`, 1)[0]!;
}

/** All runs of a workflow id, and their agents. @example ownerScope({ namespace: 'default', workflowId: 'plan-1', chain }) // 'runs/5c1f...' */
export function ownerScope({ namespace, ...run }: Owner): string {
  return `${RUNS}${hashOf(JSON.stringify([namespace, rootIdOf(run)]))}`;
}

/** One run with its agents, which have the chain of their root. */
export function runScope(run: Owner): string {
  return `${ownerScope(run)}/${/^[a-z0-9_-]{1,64}$/.test(run.chain) ? run.chain : hashOf(run.chain)}`;
}

/** A run's own name among its agents: the same in each run of the id. */
export function selfIn(run: Pick<Owner, 'workflowId' | 'chain'>): string {
  return rootIdOf(run) === run.workflowId ? 'root' : hashOf(idInEachRun(run));
}

/** The scope of all runs of the workflow id to which this key belongs. */
export function ownerOf(key: string): string {
  return key.split('/', 2).join('/');
}

/** The beginning of a key that names its owner: a run, a conversation, or the documents. */
export function scopeOf(key: string): string | undefined {
  const parts = key.split('/');
  if (key.startsWith(RUNS) && parts.length > 3 && parts[2] !== STARTS) return parts.slice(0, 3).join('/');
  if (key.startsWith(CONVERSATIONS)) return parts.slice(0, 2).join('/');
  return key.startsWith(`${DOCUMENTS}/`) ? DOCUMENTS : undefined;
}

export function conversationScope(conversation: string): string {
  return `${CONVERSATIONS}${hashOf(conversation)}`;
}
