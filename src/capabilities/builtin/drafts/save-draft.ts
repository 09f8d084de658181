/** Saves a draft: reads its fields, compiles its plan, and appends a revision to the journal of its conversation. */

import { describe } from '../../../protocol/index.ts';
import type { CompileResult, JsonValue } from '../../../plan/index.ts';
import { quote } from '../../../plan/text/index.ts';
import { documentOf, twoGoals, valueOf } from './draft-document.ts';
import { refuse, type DraftAnswer, type DraftRefusal } from './draft-error.ts';
import type { SaveDraftOptions } from './drafts.ts';
import { writeContents } from './entry-contents.ts';
import { namedResults } from './ends.ts';
import { append, readJournal, type Appended } from './journal.ts';
import { DRAFT_FIELDS, readFields, readLabel, readText, type Problems } from './read-fields.ts';
import { authorOf, compileDraft, invalidEntry, keyOf, type Setting } from './setting.ts';
import { latestRevision, type JournalEntry } from './stored-entry.ts';

/** Pathfinder: the fixed id of the one draft of a conversation. */
export const DEFAULT_DRAFT = 'delegation_draft';

export async function saveDraft(
  setting: Setting,
  conversation: string,
  fields: unknown,
  { draft = DEFAULT_DRAFT, base, by, idempotencyKey, limits }: SaveDraftOptions = {},
): Promise<DraftAnswer<Extract<Appended, { ok: true }>>> {
  const problems: Problems = [];
  const author = authorOf(setting, conversation, by, problems);
  const key = keyOf(setting, 'draft', idempotencyKey, problems);
  const id = readLabel('draft', draft, problems);
  if (base !== undefined && !(Number.isSafeInteger(base) && base >= 0)) {
    problems.push(`base: expected the number of a revision, or 0, got ${describe(base)}`);
  }
  const values = readFields(fields, DRAFT_FIELDS, problems);
  const goal = readText('goal', values.goal, problems);
  const notes = readText('notes', values.notes, problems);
  if (problems.length > 0) return invalidEntry(problems);
  const found = documentOf({ goal, plan: values.plan, notes });
  if (!found.ok) return found;
  const { document: plan } = found;
  const results = await namedResults(setting.store, await readJournal(setting.store, conversation));
  const compiled = compileDraft(setting, plan, limits, results);
  if (compiled.ok && goal !== undefined && compiled.plan.goal !== goal) return twoGoals(goal, compiled.plan.goal);
  const issues = compiled.ok ? compiled.warnings : compiled.issues;
  const content = await writeContents(setting.store, { plan, ...(notes !== undefined && { notes }), issues }, problems);
  if (content === undefined) return invalidEntry(problems);
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  return append(
    setting.store,
    {
      kind: 'draft',
      id,
      ...author,
      goal: goalOf(compiled, goal, plan),
      ...(compiled.ok && { digest: compiled.plan.digest }),
      errors,
      key,
      content,
    },
    (earlier) => takenId(id, earlier) ?? (base === undefined ? undefined : staleBase(id, base, earlier)),
  );
}

/** The name of the draft in a list; a plan with errors may still say its goal. */
function goalOf(compiled: CompileResult, goal: string | undefined, plan: JsonValue): string {
  if (compiled.ok) return compiled.plan.goal;
  return goal ?? readText('goal', valueOf(plan)?.['goal'], []) ?? '';
}

function takenId(id: string, earlier: readonly JournalEntry[]): DraftRefusal | undefined {
  const taken = earlier.some(({ entry }) => entry.kind !== 'draft' && entry.id === id);
  return taken ? refuse('invalid-entry', `${quote(id)} is no draft; name the draft otherwise.`) : undefined;
}

function staleBase(id: string, base: number, earlier: readonly JournalEntry[]): DraftRefusal | undefined {
  const latest = latestRevision(earlier, id);
  if (base === latest) return undefined;
  const last = earlier.findLast(({ entry }) => entry.kind === 'draft' && entry.id === id)?.entry;
  const whose = last?.by === undefined ? '' : ` by ${last.by}`;
  const now =
    last === undefined ? 'does not exist yet' : `is at revision ${latest}, saved${whose} at ${last.createdAt}`;
  const next =
    last === undefined
      ? 'Save it without a base, or with base 0.'
      : `Look at revision ${latest}, carry your change over, and save with base ${latest}.`;
  return refuse('stale-draft', `Draft ${quote(id)} ${now}; this save was made from revision ${base}. ${next}`);
}
