/** An open item for those who answer it elsewhere: a key that stands for exactly this request, and the command that says it. */

import { createHash } from 'node:crypto';
import { quoteForShell } from '../language/text/index.ts';
import type { OpenItem } from '../wire/contract/index.ts';

/** Hex digits of the hash in a key: 128 bits. */
const KEY_DIGITS = 32;

/**
 * Stands for one request of one run, once: bound to its kind, the whole digest and the revision of its plan, the item, the
 * run, and the time since which it waits. What is asked again has another key.
 * @example itemKey(item); // 'approval-fd7b1281-r1-5c1f...'
 */
export function itemKey({ kind, digest, revision, id, workflowId, since }: OpenItem): string {
  const bound = JSON.stringify([kind, digest, revision, id, workflowId, since]);
  const hash = createHash('sha256').update(bound).digest('hex').slice(0, KEY_DIGITS);
  return `${kind}-${digest.slice(0, 8) || 'none'}-r${revision}-${hash}`;
}

/**
 * The command that says what the item waits for; the parts that a person must fill in are in capitals.
 * @param typed how a command is typed
 * @param role the role of whoever will type it, where it is known
 */
export function itemCommand(item: OpenItem, typed: (command: string) => string, flags = '', role?: string): string {
  const { send, digest } = item;
  const { input } = send;
  const run = quoteForShell(item.workflowId);
  const inRole = speaking(item, flags, role);
  switch (send.name) {
    case 'approve':
      return typed(`approve ${run} --digest ${digest.slice(0, 8)}${inRole}`);
    case 'decide':
      return typed(`decide ${run} --kind edit --digest ${digest.slice(0, 8)} --plan FILE${inRole}`);
    case 'answer':
      return typed(`answer ${run} ${quoteForShell(item.id)} ${valueWord(input['value'])}${inRole}`);
    case 'control': {
      const told = (key: string, before = ' ') => (input[key] === undefined ? '' : `${before}${valueWord(input[key])}`);
      const what = `${told('action')}${told('node')}${told('outcome', ' --outcome ')}${told('comment', ' --comment ')}`;
      return typed(`control ${run}${what}${inRole}`);
    }
  }
}

/** In which role, with which key and where, as flags of a command. */
export function speaking(item: OpenItem, flags: string, role: string | undefined): string {
  return `${roleFlag(item, role)}${item.signed === true ? ' --key FILE' : ''}${flags}`;
}

function roleFlag({ roles }: OpenItem, role: string | undefined): string {
  if (roles === undefined) return '';
  const mine = role !== undefined && roles.includes(role) ? role : roles.length === 1 ? roles[0] : undefined;
  return ` --role ${mine === undefined ? 'ROLE' : quoteForShell(mine)}`;
}

function valueWord(value: unknown): string {
  return quoteForShell(typeof value === 'string' ? value : JSON.stringify(value));
}
