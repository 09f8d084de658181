/** The keys of nodes and the digest of a plan. */

import { sha256 } from '@noble/hashes/sha2.js';
import { colocateText } from './stored-text.ts';
import { meaningText, quoted, type InputFields, type WrittenFields } from './task-fields.ts';
import type { CombineDraft } from '../plan-reading.ts';

// One hash state is used for all nodes and set back before each: making a new one costs more than hashing a node.
const blank = sha256.create();
const state = sha256.create();
const hash = new Uint8Array(32);

/**
 * The key of a task: SHA-256, in base64url without padding, of canonical JSON (RFC 8785): `[[keys of its inputs], fields]`, `fields` being
 * its record without ids, key, kind and display name.
 */
export function taskKey(task: WrittenFields, inputs: InputFields, inputKeys: readonly string[]): string {
  return keyOf(meaningText(task, inputs, inputKeys));
}

/** The key of a combine: the same of `[[left key, right key], operator]`, with its `colocate` as a third member where it has one. */
export function combineKey({ operator, colocate }: CombineDraft, leftKey: string, rightKey: string): string {
  const parameters = colocate === undefined ? '' : `,${colocateText(colocate)}`;
  return keyOf(`[["${leftKey}","${rightKey}"],"${operator}"${parameters}]`);
}

/**
 * The key that a node is approved and done as if it is given the goal: SHA-256 of both, in base64url without padding.
 * @example keyWithGoal(node.key, 'Find genes') // 43 characters
 */
export function keyWithGoal(key: string, goal: string): string {
  return keyOf(`["${key}",${quoted(goal)}]`);
}

/** The reference of the text in UTF-8, as result stores name what they keep. */
export function refOfText(text: string): string {
  return keyOf(text);
}

function keyOf(text: string): string {
  blank._cloneInto(state);
  state.update(utf8(text)).digestInto(hash);
  return base64url(hash);
}

/** 64 lower-case hex digits of the SHA-256 of the bytes. */
export function digestOf(bytes: Uint8Array): string {
  return hex(sha256(bytes));
}

/** The digest of the text that is written in parts, in UTF-8. */
export function digestOfText(writeAll: (write: (part: string) => void) => void): string {
  const whole = sha256.create();
  writeAll((part) => whole.update(utf8(part)));
  return hex(whole.digest());
}

const DIGITS = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const KEY_LENGTH = 43;
const keyUnits = new Array<number>(KEY_LENGTH).fill(0);

function base64url(bytes: Uint8Array): string {
  let at = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    const group = (bytes[index]! << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    for (let shift = 18; shift >= 0 && at < KEY_LENGTH; shift -= 6) keyUnits[at++] = DIGITS[(group >> shift) & 63]!;
  }
  return String.fromCharCode(...keyUnits);
}

function hex(bytes: Uint8Array): string {
  let digits = '';
  for (const byte of bytes) digits += byte.toString(16).padStart(2, '0');
  return digits;
}

const encoder = new TextEncoder();
const scratch = new Uint8Array(65_536);

/** The bytes of a text, good until the next call: bytes of their own for every text would keep the collector busy. */
function utf8(text: string): Uint8Array {
  // UTF-8 takes at most three bytes for one UTF-16 unit.
  if (text.length * 3 > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}
