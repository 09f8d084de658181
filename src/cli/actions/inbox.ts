/** `planwright inbox`: what the runs of a namespace wait for a person to say. */

import type { Inbox } from '../../edge/client/index.ts';
import { connect, folderStoreDir } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { clockText, cutCharacters, oneLine } from '../../language/text/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { commandFor, connectionFlags } from '../showing/index.ts';

export interface InboxOptions {
  readonly role?: string | undefined;
  readonly limit: number;
}

const TEXT_SHOWN = 76;
const RUNS_NAMED = 5;

export async function inbox(options: InboxOptions & GlobalOptions, output: Output): Promise<number> {
  const { role, limit } = options;
  const flags = connectionFlags(options);
  const session = await connect({ storeDir: await folderStoreDir() });
  try {
    const found = await session.plans.inbox({ limit, ...(role !== undefined && { role }) });
    const items = found.items.map((item) => ({ ...item, command: commandFor(item, flags, role) }));
    output.print(
      { ok: true, ...found, items },
      () => inboxText(found, flags, role),
      () => items,
    );
    for (const line of missing(found)) output.note(`${output.paint('yellow', 'note')}: ${line}`);
    return exitCode('done');
  } finally {
    await session.close();
  }
}

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
export function missing({ more, unreachable, notAsked }: Inbox): string[] {
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
