/** Waits for a person, in lines, with the command that ends each. */

import type { Inbox } from '../../edge/client/index.ts';
import { cutColumns } from '../../language/lines/index.ts';
import { clockText, oneLine } from '../../language/text/index.ts';
import { commandOf, messageFor, WAIT_VERBS, wordsOf } from '../../operations/words/index.ts';
import type { OpenItem } from '../../wire/contract/index.ts';
import { asTyped } from '../as-typed.ts';
import { headLines } from './words.ts';

/** An approval needs no words of its own but what it adds up to: the plan has been shown. */
export function openLines(item: OpenItem, flags: string): string {
  const command = `${WAIT_VERBS[item.send.name]} with: ${commandFor(item, flags)}`;
  if (item.send.name !== 'approve') return `${wordsOf(item)}\n${command}`;
  return [item.warning, item.asks, command].filter((line) => line !== undefined).join('\n');
}

/** `flags` are the connection flags; `role` is that of whoever will type it, where it is known. */
export function commandFor(item: OpenItem, flags: string, role?: string): string {
  const signed = item.signed === true;
  return commandOf(item.workflowId, messageFor(item, role), { typed: asTyped, flags, signed });
}

/** Columns of a text at most. */
const TEXT_SHOWN = 76;
const INDENT = '  ';
const RUNS_NAMED = 5;

/** Each item with its time and its roles; below it the text, and the command that says it, which is never cut. */
export function inboxText(
  { items, unreachable, notAsked }: Inbox,
  columns: number,
  flags: string,
  role?: string,
): string {
  const silent = unreachable.length + notAsked;
  if (items.length === 0 && silent > 0) return 'nothing is known to wait for a person; not every run has answered';
  if (items.length === 0) return 'nothing waits for a person';
  const now = new Date().toISOString();
  return items
    .flatMap((item) => {
      const { since, workflowId, kind, roles, text } = item;
      const shown = cutColumns(oneLine(text), Math.min(TEXT_SHOWN, columns - INDENT.length));
      const asked = `${kind} for ${roles?.join(', ') ?? 'anyone'}, since ${clockText(since, now)}`;
      return [
        ...headLines(workflowId, INDENT, asked, columns),
        `${INDENT}${shown}`,
        `${INDENT}${commandFor(item, flags, role)}`,
      ];
    })
    .join('\n');
}

/** The items and runs that the list does not show. */
export function missingOfInbox({ more, unreachable, notAsked }: Inbox): string[] {
  const byReason = new Map<string, string[]>();
  for (const { workflowId, reason } of unreachable.slice(0, RUNS_NAMED)) {
    const ids = byReason.get(reason);
    if (ids === undefined) byReason.set(reason, [workflowId]);
    else ids.push(workflowId);
  }
  const named = [...byReason].map(([reason, ids]) => `${ids.join(', ')} (${reason})`);
  const rest = unreachable.length - RUNS_NAMED;
  return [
    ...(more === 0 ? [] : [`${more} more wait, younger than these; --limit shows more`]),
    ...(named.length === 0 ? [] : [`no answer from ${named.join('; ')}${rest <= 0 ? '' : ` and ${rest} more runs`}`]),
    ...(notAsked === 0 ? [] : [`${notAsked} running runs were not asked, since so many are not asked at once`]),
  ];
}
