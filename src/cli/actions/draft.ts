/** `planwright draft`: plans that are worked on before any run. Only a hand-off needs a server. */

import type { Draft, DraftEntry, Drafts } from '../../builtin/drafts/index.ts';
import { compilePlan } from '../../language/plan/index.ts';
import { connect, openDrafts, startOnce, type ProjectOptions } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { oneLine } from '../../language/text/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError, invalidPlan } from '../cli-error.ts';
import { toDraftError } from '../draft-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { readDocument, userName } from '../reading/index.ts';
import { connectionFlags, entryName, noteIssues, planText, printEntries } from '../showing/index.ts';

export interface ConversationOptions extends ProjectOptions {
  readonly conversation: string;
}

export interface SaveOptions extends ConversationOptions {
  readonly draft: string;
  readonly base?: number | undefined;
  readonly goal?: string | undefined;
  readonly by?: string | undefined;
}

export interface ShowOptions extends ConversationOptions {
  readonly draft?: string | undefined;
  readonly revision?: number | undefined;
}

export interface HistoryOptions extends ConversationOptions {
  readonly limit: number;
  readonly full?: true | undefined;
}

export interface HandOffOptions extends ShowOptions {
  readonly taskQueue?: string | undefined;
  readonly by?: string | undefined;
}

export async function saveDraft(options: SaveOptions & GlobalOptions, output: Output, file: string): Promise<number> {
  const { draft, base, goal } = options;
  const by = userName(options.by);
  const document = await readDocument(file);
  const { drafts } = await openDrafts(options);
  const fields = { plan: document, ...(goal !== undefined && { goal }) };
  const answer = await drafts.saveDraft(options.conversation, fields, {
    draft,
    by,
    ...(base !== undefined && { base }),
  });
  if (!answer.ok) throw toDraftError(answer);
  const { entry } = answer;
  noteIssues(entry.issues, output);
  if (entry.digest === undefined) {
    const error = invalidPlan(entry.issues);
    const { plan: _plan, issues: _issues, ...saved } = entry;
    throw new CliError(error.code, `saved as ${entryName(entry)}, but ${error.message}`, { ...error.details, saved });
  }
  output.print({ ok: true, ...entry }, () => `saved as ${entryName(entry)}\ndigest ${entry.digest}`);
  return exitCode('done');
}

export async function listDrafts(options: ConversationOptions & GlobalOptions, output: Output): Promise<number> {
  const { drafts } = await openDrafts(options);
  const answer = await drafts.list(options.conversation, { kind: 'draft', limit: Number.MAX_SAFE_INTEGER });
  if (!answer.ok) throw toDraftError(answer);
  const latest = new Map((answer.entries as readonly DraftEntry[]).map((entry) => [entry.id, entry]));
  printEntries([...latest.values()], 'drafts', output);
  return exitCode('done');
}

export async function showDraft(options: ShowOptions & GlobalOptions, output: Output): Promise<number> {
  const { drafts } = await openDrafts(options);
  const entry = await findDraft(drafts, options);
  noteIssues(entry.issues, output);
  output.print({ ok: true, ...entry }, () => textOf(entry, output.columns));
  return exitCode('done');
}

export async function showHistory(options: HistoryOptions & GlobalOptions, output: Output): Promise<number> {
  const { conversation, limit, full = false } = options;
  const { drafts } = await openDrafts(options);
  const answer = await drafts.list(conversation, { limit, full });
  if (!answer.ok) throw toDraftError(answer);
  printEntries(answer.entries, 'entries', output);
  return exitCode('done');
}

export async function handOffDraft(options: HandOffOptions & GlobalOptions, output: Output): Promise<number> {
  const { draft, revision, taskQueue } = options;
  const by = userName(options.by);
  const flags = connectionFlags(options);
  const { drafts, project, storeDir } = await openDrafts(options);
  const session = await connect({ storeDir, taskQueue, project });
  try {
    const request = { by, ...(draft !== undefined && { draft }), ...(revision !== undefined && { revision }) };
    const answer = await drafts.handOff(options.conversation, request, startOnce(session));
    if (!answer.ok) {
      noteIssues(answer.issues ?? [], output);
      throw toDraftError(answer);
    }
    const { entry, repeated } = answer;
    const { workflowId, digest } = entry;
    if (repeated) output.note('this revision was handed off before; there is one run of it');
    output.note(`approve with: ${asTyped(`approve ${workflowId} --digest ${digest.slice(0, 8)}${flags}`)}`);
    output.print({ ok: true, ...entry, repeated }, () => workflowId);
    return exitCode('done');
  } finally {
    await session.close();
  }
}

async function findDraft(drafts: Drafts, { conversation, draft, revision }: ShowOptions): Promise<Draft> {
  const latest = draft === undefined ? await drafts.latestDraft(conversation) : undefined;
  if (latest?.ok === false) throw toDraftError(latest);
  const id = draft ?? latest?.entry.id ?? '';
  const answer = await drafts.get(conversation, id, revision);
  if (!answer.ok) throw toDraftError(answer);
  const { entry } = answer;
  if (entry.kind === 'draft') return entry;
  const message = `${oneLine(id)} is no draft; look at it with \`${asTyped('artifact show')}\` or \`draft history\``;
  throw new CliError('INPUT_INVALID', message, { reason: 'draft-not-found' });
}

/** The plan as a tree where it compiles, else as it was written. */
function textOf(draft: Draft, columns: number): string {
  const compiled = compilePlan(draft.plan);
  const plan = compiled.ok
    ? planText(compiled.plan, {}, { columns })
    : typeof draft.plan === 'string'
      ? draft.plan
      : JSON.stringify(draft.plan, null, 2);
  return `${entryName(draft)}\n${draft.goal}\n\n${plan}`;
}
