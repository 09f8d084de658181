/** What waits for a person in the runs of a namespace, in lines. */

import type { Inbox } from '../../edge/client/index.ts';
import { clockText, cutCharacters, oneLine } from '../../language/text/index.ts';
import { commandFor } from './open-lines.ts';

const TEXT_SHOWN = 76;
const RUNS_NAMED = 5;

/** What waits, since when and for whom; below it the text, and the command that says it, which is never cut. */
export function inboxText({ items, unreachable, notAsked }: Inbox, flags: string, role?: string): string {
  const silent = unreachable.length + notAsked;
  if (items.length === 0 && silent > 0) return 'nothing is known to wait for a person; not every run has answered';
  if (items.length === 0) return 'nothing waits for a person';
  const now = new Date().toISOString();
  return items
    .flatMap((item) => {
      const { since, workflowId, kind, roles, text } = item;
      const line = oneLine(text);
      const shown = cutCharacters(line, TEXT_SHOWN);
      return [
        `${workflowId}  ${kind} for ${roles?.join(', ') ?? 'anyone'}, since ${clockText(since, now)}`,
        `  ${shown}`,
        `  ${commandFor(item, flags, role)}`,
      ];
    })
    .join('\n');
}

/** What the list does not show. */
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
