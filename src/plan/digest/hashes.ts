import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { meaningText, type InputFields, type WrittenFields } from './task-fields.ts';
import type { JsonValue } from '../compiled-plan.ts';
import type { CombineDraft } from '../plan-reading.ts';

/**
 * The key of a task: SHA-256, base64url without padding, of canonical JSON (RFC 8785): `[[keys of its inputs],
 * fields]`. `fields` is its record without ids, key, kind and display name.
 */
export function taskKey(task: WrittenFields, inputs: InputFields, inputKeys: readonly string[]): string {
  return hashText(meaningText(task, inputs, inputKeys));
}

/** The key of a combine: as of a task, of `[[left key, right key], operator]`, plus `colocate` if it has one. */
export function combineKey({ operator, colocate }: CombineDraft, leftKey: string, rightKey: string): string {
  const parameters = colocate === undefined ? '' : `,${canonicalJson(colocate as unknown as JsonValue)}`;
  return hashText(`[["${leftKey}","${rightKey}"],"${operator}"${parameters}]`);
}

/** The identity of a node that receives the goal: SHA-256 of both, base64url without padding. */
export function keyWithGoal(key: string, goal: string): string {
  return hashText(canonicalJson([key, goal]));
}

/** SHA-256 of the UTF-8 text, base64url without padding: the key of a node, and the reference of a stored result. */
export function hashText(text: string): string {
  return hash('sha256', text, 'base64url');
}

export function hexDigest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
