/** `planwright draft` and `artifact` in text. */

import type { Entry } from '../../capabilities/builtin/drafts/index.ts';
import { table } from '../../plan/lines/index.ts';
import { oneLine, visible } from '../../plan/text/index.ts';
import { asTyped } from '../as-typed.ts';
import type { View } from '../row-command.ts';

export const saveDraftView: View<'saveDraft'> = {
  show: ({ id, revision, number, digest }) =>
    `saved as revision ${revision} of ${oneLine(id)}, entry ${number}\ndigest ${digest}`,
};

/** Entries, under this name in the JSON form. */
export const listingView = (list: string): View<'history' | 'listArtifacts' | 'listDrafts'> => ({
  json: ({ entries }) => ({ [list]: entries }),
  show: ({ entries }) => entriesText(entries, list),
  lines: [list],
});

export const showDraftView: View<'showDraft'> = {
  async show(draft, { output: { columns } }) {
    const { draftText } = await import('../plan-text.ts');
    return draftText(draft, columns);
  },
};

export const handOffView: View<'handOff'> = {
  show: ({ workflowId }) => workflowId,
  notes: ({ repeated, workflowId, digest }, { flags }) => [
    ...(repeated ? ['this revision was handed off before; there is one run of it'] : []),
    `approve with: ${asTyped(`approve ${workflowId} --digest ${digest.slice(0, 8)}${flags}`)}`,
  ],
};

export const saveArtifactView: View<'saveArtifact'> = { show: ({ id }) => id };

export const showArtifactView: View<'showArtifact'> = {
  show({ title, summary, assumptions, parameters, proposedPlan }) {
    const rest = { assumptions, parameters, ...(proposedPlan !== undefined && { proposedPlan }) };
    return [title, ...(summary === '' ? [] : [summary]), JSON.stringify(rest, null, 2)].join('\n\n');
  },
};

/** An entry a row. */
function entriesText(entries: readonly Entry[], name: string): string {
  if (entries.length === 0) return `no ${name}`;
  return table(
    entries.map((one) => [`${one.number}`, one.createdAt, one.by ?? '', one.kind, one.id, visible(wordsOf(one))]),
  );
}

function wordsOf(entry: Entry): string {
  switch (entry.kind) {
    case 'artifact':
      return entry.title;
    case 'draft': {
      const state = entry.digest?.slice(0, 8) ?? `${entry.errors} error${entry.errors === 1 ? '' : 's'}`;
      return `revision ${entry.revision}  ${state}  ${entry.goal}`;
    }
    case 'handed-off':
      return `revision ${entry.revision} of ${entry.draft}  ${entry.digest.slice(0, 8)}`;
    case 'ended':
      return `${entry.outcome}  ${entry.goal}`;
  }
}
