/** Hands a draft off: starts the run of one of its revisions, once. */

import { digestOfRef } from '../../../store/index.ts';
import { quote } from '../../../plan/text/index.ts';
import { refuse, type DraftAnswer } from './draft-error.ts';
import type { HandOffRequest, StartRun } from './drafts.ts';
import type { Draft } from './entry.ts';
import { readWhole } from './entry-contents.ts';
import { findDraft } from './find-entry.ts';
import { namedResults } from './ends.ts';
import { append, readJournal, type Appended } from './journal.ts';
import { readText, type Problems } from './read-fields.ts';
import { authorOf, compileDraft, invalidEntry, type Setting } from './setting.ts';

/** Enough of a SHA-256 that two revisions never share a run. */
const UNIQUE_DIGITS = 16;

/**
 * The digits of the start follow from the stored revision: its conversation, its draft and its content. A second hand-off
 * of the same revision, after a crash or beside us, starts the same run.
 */
export async function handOff(
  setting: Setting,
  conversation: string,
  request: HandOffRequest,
  startRun: StartRun,
): Promise<DraftAnswer<Extract<Appended, { ok: true }>>> {
  const problems: Problems = [];
  const author = authorOf(setting, conversation, request.by, problems);
  const goal = readText('goal', request.goal, problems);
  const instructions = readText('instructions', request.instructions, problems);
  if (problems.length > 0) return invalidEntry(problems);
  const entries = await readJournal(setting.store, conversation);
  const found = findDraft(entries, conversation, request.draft, request.revision);
  if (!found.ok) return found;
  const draft = (await readWhole(setting.store, found.at)) as Draft;
  const { id, revision } = draft;
  if (goal !== undefined && goal !== draft.goal) {
    const message = `Draft ${quote(id)}, revision ${revision}, has the goal ${quote(draft.goal)}, not ${quote(goal)}. Leave the goal out, or save a revision with it.`;
    return refuse('invalid-entry', message);
  }
  const key = `handed-off/${revision}/${id}`;
  const done = entries.find(({ stored }) => stored.key === key);
  if (done !== undefined) return { ok: true, at: done, repeated: true };

  const results = await namedResults(setting.store, entries);
  const compiled = compileDraft(setting, draft.plan, request.limits, results);
  if (!compiled.ok) return refuse('draft-invalid', withErrors(draft), compiled.issues);
  const once = digestOfRef(found.at.ref).slice(0, UNIQUE_DIGITS);
  const started = await startRun(draft.plan, once, conversation);
  if (!started.ok) return refuse('draft-invalid', withErrors(draft), started.issues);
  const { workflowId } = started.run;
  return append(setting.store, {
    kind: 'handed-off',
    id: workflowId,
    ...author,
    draft: id,
    revision,
    workflowId,
    digest: compiled.plan.digest,
    ...(instructions !== undefined && { instructions }),
    key,
  });
}

function withErrors({ id, revision }: Draft): string {
  return `The plan of draft ${quote(id)}, revision ${revision}, has errors, and no run was started. Mend them and save it again.`;
}
