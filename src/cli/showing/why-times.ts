/** What a node waited for and how long each part of its way took. */

import type { AttemptView, BegunView } from '../../edge/client/index.ts';
import { amountOf, type NodeView } from '../../wire/contract/index.ts';
import { placeName } from '../../language/outline/index.ts';
import { clockText, durationText, oneLine } from '../../language/text/index.ts';

interface Timed {
  readonly node: NodeView;
  readonly inputs: readonly NodeView[];
  readonly attempt?: AttemptView;
  readonly begun?: BegunView;
}

/** `node_1 position: 12 records` */
export function inputLine({ id, key, status, result }: NodeView): string {
  const name = placeName({ id, ...(key !== undefined && { key }) });
  return `${name}: ${result === undefined ? status : amountOf(result)}`;
}

/** When its inputs were there, when it was scheduled, begun and ended, and how long each of that took. */
export function timeLines({ node, inputs, begun, attempt }: Timed): string[] {
  const { scheduledAt, endedAt } = node;
  const ends = inputs.flatMap((one) => one.endedAt ?? []).toSorted();
  const ready = ends.length === inputs.length ? ends.at(-1) : undefined;
  const began = begun?.startedAt ?? (attempt?.state === 'is carried out' ? attempt.at : undefined);
  const lines: string[] = [];
  if (ready !== undefined) lines.push(`its inputs were there at ${clockText(ready)}`);
  if (scheduledAt !== undefined)
    lines.push(`scheduled at ${clockText(scheduledAt, ready)}${after(ready, scheduledAt)}`);
  if (began !== undefined && scheduledAt !== undefined) {
    const by = begun === undefined ? '' : ` by ${begun.worker}`;
    const tries = begun === undefined || begun.attempt === 1 ? '' : `, attempt ${begun.attempt}`;
    const why = begun?.before === undefined ? '' : ` (${oneLine(begun.before)})`;
    lines.push(`begun at ${clockText(began, scheduledAt)}${by}${tries}${why}${after(scheduledAt, began)}`);
  }
  if (endedAt !== undefined)
    lines.push(`ended at ${clockText(endedAt, scheduledAt)}${after(began ?? scheduledAt, endedAt)}`);
  return lines;
}

/** `, 4.0 s later` */
function after(before: string | undefined, at: string): string {
  return before === undefined ? '' : `, ${durationText(Date.parse(at) - Date.parse(before))} later`;
}
