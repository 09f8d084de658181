/** The prefixes of keys, which say to which run, conversation or document a key belongs. */

import { canonicalJson, type JsonValue } from '../plan/index.ts';
import { chainDigits, idInEachRun, type Owner } from '../protocol/index.ts';
import { hash } from 'node:crypto';
import { jsonIn, quote } from '../plan/text/index.ts';
import { StoreError } from './store.ts';

/** The key prefix of all runs. The owner follows: a hash of the namespace and the topmost run's workflow id. */
export const RUNS = 'runs/';
/** The scope of plan documents that no run has read yet. */
export const DOCUMENTS = 'documents';
/** The prefix of all conversations. */
export const CONVERSATIONS = 'conversations/';
/** Prefix of standing grants and their uses, which are never removed. */
export const GRANTS = 'grants/';
/** The scope for names of resources to which runs wrote untrusted values. They are never removed. */
export const UNTRUSTED = 'untrusted';
/** The key segment for entries that bind each signed start to its run, beside the runs of the workflow id. */
export const STARTS = 'starts';
/** The prefix, in a run's scope, for ids of its agents' runs. An id is stored before that run starts. */
export const AGENTS = 'family/';

/** 128 bits of a SHA-256 as hex, which can be part of a key whatever the text contains. */
export function hashOf(content: string | Uint8Array): string {
  return sha256(content).subarray(0, 16).toString('hex');
}

/** The workflow id of the topmost run. An agent's workflow id begins with it (`agentsIdOf`). */
export function rootIdOf({ workflowId, firstRunId }: Pick<Owner, 'workflowId' | 'firstRunId'>): string {
  return workflowId.split(`.${chainDigits(firstRunId)}.`, 1)[0]!;
}

/**
 * The scope of all runs of a workflow id, with their agents.
 * @example ownerScope({ namespace: 'default', workflowId: 'plan-1', firstRunId }) // 'runs/5c1f...'
 */
export function ownerScope({ namespace, ...run }: Owner): string {
  return `${RUNS}${hashOf(JSON.stringify([namespace, rootIdOf(run)]))}`;
}

/** The scope of one run with its agents, which share the first run id of the topmost run. */
export function runScope(run: Owner): string {
  return `${ownerScope(run)}/${/^[a-z0-9_-]{1,64}$/.test(run.firstRunId) ? run.firstRunId : hashOf(run.firstRunId)}`;
}

/** The name of a run within its scope. An agent has the same name in each run of the workflow id. */
export function selfIn(run: Pick<Owner, 'workflowId' | 'firstRunId'>): string {
  return rootIdOf(run) === run.workflowId ? 'root' : hashOf(idInEachRun(run));
}

/** The scope of all runs of a workflow id, from any key below it. */
export function ownerOf(key: string): string {
  return key.split('/', 2).join('/');
}

/** The part of a key that names its run, conversation or documents. */
export function scopeOf(key: string): string | undefined {
  const parts = key.split('/');
  if (key.startsWith(RUNS) && parts.length > 3 && parts[2] !== STARTS) return parts.slice(0, 3).join('/');
  if (key.startsWith(CONVERSATIONS)) return parts.slice(0, 2).join('/');
  return key.startsWith(`${DOCUMENTS}/`) ? DOCUMENTS : undefined;
}

export function conversationScope(conversation: string): string {
  return `${CONVERSATIONS}${hashOf(conversation)}`;
}

/** The text of a conversation, as a resource that runs read and write. */
export function conversationResource(conversation: string): string {
  return `conversation:${conversation}`;
}

/** A plan document as a resource: a run that starts with the document reads it, however it was sent. */
export function planResource(document: unknown): string {
  const isText = typeof document === 'string' || document instanceof Uint8Array;
  // A byte order mark is a blank.
  const text = isText
    ? Buffer.from(document as string)
        .toString()
        .trim()
    : '';
  return `plan:${hashOf(canonicalJson((isText ? (jsonIn(text) ?? text) : document) as JsonValue))}`;
}

const BASE64URL = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const HEX = /^[0-9a-fA-F]{64}$/;

export function sha256(bytes: Uint8Array | string): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/**
 * The reference of bytes: their SHA-256 in base64url.
 * @example refOfBytes(new Uint8Array()); // '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'
 */
export function refOfBytes(bytes: Uint8Array): string {
  return sha256(bytes).toString('base64url');
}

/**
 * The reference for a SHA-256 in 64 hex digits.
 * @example await store.get(refOfDigest(plan.digest)); // the canonical bytes of a plan that has run
 */
export function refOfDigest(hex: string): string {
  if (!HEX.test(hex)) throw new StoreError('invalid-ref', invalidRef('digest', hex, '64 hex digits'));
  return Buffer.from(hex, 'hex').toString('base64url');
}

/**
 * The SHA-256 of a reference, as 64 lower-case hex digits.
 * @example digestOfRef((await run.view(['plan'])).plan.ref); // the digest that was approved
 */
export function digestOfRef(ref: string): string {
  return Buffer.from(normalRef(ref), 'base64url').toString('hex');
}

/** Turns a reference or a digest into a reference. @throws StoreError `invalid-ref` for anything else */
export function normalRef(ref: string): string {
  if (BASE64URL.test(ref)) return ref;
  if (HEX.test(ref)) return refOfDigest(ref);
  throw new StoreError('invalid-ref', invalidRef('reference', ref, '43 characters of base64url or 64 hex digits'));
}

function invalidRef(what: string, got: string, expected: string): string {
  return `${quote(got)} is no ${what}: expected ${expected}, as a handle or a plan digest has them. Copy it whole.`;
}
