/** The keys of nodes and the digest of a plan. */

import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { meaningText, type InputFields, type WrittenFields } from './task-fields.ts';
import type { JsonValue } from '../compiled-plan.ts';
import type { CombineDraft } from '../plan-reading.ts';

/**
 * The key of a task: SHA-256, in base64url without padding, of canonical JSON (RFC 8785): `[[keys of its inputs], fields]`, `fields` being
 * its record without ids, key, kind and display name.
 */
export function taskKey(task: WrittenFields, inputs: InputFields, inputKeys: readonly string[]): string {
  return keyOf(meaningText(task, inputs, inputKeys));
}

/** The key of a combine: the same of `[[left key, right key], operator]`, with its `colocate` as a third member where it has one. */
export function combineKey({ operator, colocate }: CombineDraft, leftKey: string, rightKey: string): string {
  const parameters = colocate === undefined ? '' : `,${canonicalJson(colocate as unknown as JsonValue)}`;
  return keyOf(`[["${leftKey}","${rightKey}"],"${operator}"${parameters}]`);
}

/**
 * The key that a node is approved and done as if it is given the goal: SHA-256 of both, in base64url without padding.
 * @example keyWithGoal(node.key, 'Find genes') // 43 characters
 */
export function keyWithGoal(key: string, goal: string): string {
  return keyOf(canonicalJson([key, goal]));
}

/** SHA-256 of the text in UTF-8, in base64url without padding: the key of a node, and the reference of a kept result. */
export function keyOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** 64 lower-case hex digits of the SHA-256 of the bytes. */
export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
