/** The keys of nodes and the digest of a plan. */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { base64urlnopad } from '@scure/base';
import { canonicalJson } from './canonical-json.ts';
import { meaningText, type InputFields, type WrittenFields } from './task-fields.ts';
import type { JsonValue } from '../compiled-plan.ts';
import type { CombineDraft } from '../plan-reading.ts';

// One hash state and one buffer serve all nodes: to make them anew for each costs more than to hash it.
const blank = sha256.create();
const state = sha256.create();
const hash = new Uint8Array(32);
const scratch = new Uint8Array(65_536);
const encoder = new TextEncoder();

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
  blank._cloneInto(state);
  state.update(utf8(text)).digestInto(hash);
  return base64urlnopad.encode(hash);
}

/** 64 lower-case hex digits of the SHA-256 of the bytes. */
export function digestOf(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}

/** The bytes of a text, good until the next call. */
function utf8(text: string): Uint8Array {
  // UTF-8 takes at most three bytes for one UTF-16 unit.
  if (text.length * 3 > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}
