/** `planwright store`: what the result store has, whether it is whole, and copies of it. */

import type { OutputOf } from '../../operations/index.ts';
import { table } from '../../plan/lines/index.ts';
import { counted, grouped } from '../../plan/text/index.ts';
import { defineCommand, defineGroup } from '../define-command.ts';
import { PROJECT } from '../flags.ts';
import { asTyped } from '../as-typed.ts';
import { duration, flag, texts } from '../options.ts';
import { startWait, timeLimit } from '../wait.ts';

const TIMEOUT = { timeout: duration('take no longer than this') };

type Amounts = OutputOf<'measureStore'>['amounts'];

const storeDuCommand = defineCommand({
  name: 'du',
  description: 'how much the result store has',
  flags: PROJECT,
  operation: 'measureStore',
  input: () => ({}),
  show: ({ store, amounts }) => `${store}\n${amountsText(amounts)}`,
});

const storeCheckCommand = defineCommand({
  name: 'check',
  description: 'read everything in the result store, and try what a store promises; exits 1 where something is wrong',
  flags: { ...PROJECT, ...TIMEOUT },
  async run(typed, { output, perform }) {
    const wait = startWait(timeLimit(typed), 'nothing was changed');
    try {
      const found = await perform('checkStore', {}, { signal: wait.signal, hear: ({ text }) => output.note(text) });
      const { store, amounts, problems, problemCount } = found;
      const more = problemCount - problems.length;
      const lines = [...problems, ...(more > 0 ? [`and ${grouped(more)} more`] : [])];
      output.print({ ok: problemCount === 0, ...found }, () =>
        [store, amountsText(amounts), ...(lines.length === 0 ? ['everything is whole'] : lines)].join('\n'),
      );
      return problemCount === 0 ? 'done' : 'badOutcome';
    } finally {
      wait.end();
    }
  },
});

const storeCopyCommand = defineCommand({
  name: 'copy',
  description: 'copy a result store to another one, of any kind; type it again where it was interrupted',
  examples: ['planwright store copy .planwright/results s3://plans/results'],
  arguments: { from: 'a folder, postgres://... or s3://...', to: 'the same' },
  flags: { config: PROJECT.config, ...TIMEOUT },
  async run({ from, to, ...typed }, { output, perform }) {
    const wait = startWait(timeLimit(typed), 'what was copied stays; type it again to go on');
    try {
      const hear = ({ text }: { readonly text: string }) => output.note(text);
      const copied = await perform('copyStore', { from, to }, { signal: wait.signal, hear });
      const { problems, amounts } = copied;
      output.print({ ok: problems.length === 0, ...copied }, () =>
        [`${copied.from} is in ${copied.to}`, amountsText(amounts), ...problems].join('\n'),
      );
      return problems.length === 0 ? 'done' : 'badOutcome';
    } finally {
      wait.end();
    }
  },
});

const storeGcCommand = defineCommand({
  name: 'gc',
  description:
    'tell what in the result store no run, no conversation and nothing of the last day refers to, or remove it',
  examples: ['planwright store gc --remove'],
  flags: {
    ...PROJECT,
    remove: flag('remove it; without this nothing is'),
    also: texts('profile', 'another namespace whose runs use the store: a profile of the Temporal config file'),
    gone: texts('id', 'a namespace that used the store, and is gone for good'),
    deleted: flag('runs that the server should still know were deleted by somebody'),
    ...TIMEOUT,
  },
  async run({ remove, also, gone, deleted, ...typed }, { output, perform }) {
    const wait = startWait(
      timeLimit(typed),
      'what was removed is gone, and nothing that is needed; type it again to go on',
    );
    try {
      const hear = ({ text }: { readonly text: string }) => output.note(text);
      const asked = {
        remove: remove === true,
        deleted: deleted === true,
        also: [...(also ?? [])],
        gone: [...(gone ?? [])],
      };
      const told = await perform('collectStore', asked, { signal: wait.signal, hear });
      output.print({ ok: true, ...told }, () => collectedText(told));
      if (remove !== true) output.note(`nothing was removed; remove it with: ${asTyped('store gc --remove')}`);
      return 'done';
    } finally {
      wait.end();
    }
  },
});

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

export const storeCommand = defineGroup(
  {
    name: 'store',
    description: 'the result store: how much it has, whether it is whole, copies of it, and what nobody needs',
    example: 'planwright store check',
  },
  [storeCheckCommand, storeDuCommand, storeCopyCommand, storeGcCommand],
);
