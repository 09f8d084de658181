/** `planwright store`: what the result store has, whether it is whole, and copies of it. */

import type { OutputOf } from '../../operations/index.ts';
import { table } from '../../plan/lines/index.ts';
import { counted, grouped } from '../../plan/text/index.ts';
import { asTyped } from '../as-typed.ts';
import type { View } from '../row-command.ts';

type Amounts = OutputOf<'measureStore'>['amounts'];

export const duView: View<'measureStore'> = { show: ({ store, amounts }) => `${store}\n${amountsText(amounts)}` };

export const checkView: View<'checkStore'> = {
  onward: 'nothing was changed',
  fails: ({ problemCount }) => problemCount > 0,
  show({ store, amounts, problems, problemCount }) {
    const more = problemCount - problems.length;
    const lines = [...problems, ...(more > 0 ? [`and ${grouped(more)} more`] : [])];
    return [store, amountsText(amounts), ...(lines.length === 0 ? ['everything is whole'] : lines)].join('\n');
  },
};

export const copyView: View<'copyStore'> = {
  onward: 'what was copied stays; type it again to go on',
  fails: ({ problems }) => problems.length > 0,
  show: ({ from, to, amounts, problems }) => [`${from} is in ${to}`, amountsText(amounts), ...problems].join('\n'),
};

export const gcView: View<'collectStore'> = {
  onward: 'what was removed is gone, and nothing that is needed; type it again to go on',
  show: collectedText,
  notes: ({ removed }) =>
    removed === undefined ? [`nothing was removed; remove it with: ${asTyped('store gc --remove')}`] : [],
};

function collectedText({ store, runs, goneRuns, amounts, removable, removed }: OutputOf<'collectStore'>): string {
  const before = `${store} has things of ${counted(runs, 'run')} that are known, and of ${grouped(goneRuns)} that are not`;
  const lines = [before, amountsText(amounts), 'of these nobody needs', amountsText(removable)];
  if (removed === undefined) return lines.join('\n');
  return [...lines, `removed: ${counted(removed.count, 'thing')}, ${grouped(removed.bytes)} bytes`].join('\n');
}

const WORDS: Readonly<Record<keyof Amounts, string>> = { object: 'object', name: 'name', kept: 'kept value' };

function amountsText(amounts: Amounts): string {
  const rows = Object.entries(WORDS).map(([kind, word]) => {
    const { count, bytes } = amounts[kind as keyof Amounts];
    return [counted(count, word), `${grouped(bytes)} bytes`];
  });
  return table(rows, { indent: '  ', right: [0, 1] });
}
