/** `planwright draft`: plans that are worked on before any run. Only a hand-off needs a server. */

import {
  createDrafts,
  type Draft,
  type DraftEntry,
  type DraftRefusal,
  type Drafts,
  type Entry,
  type StartRun,
} from '../../drafts/index.ts';
import { compilePlan, renderTree } from '../../plan/index.ts';
import { createFileStore } from '../../results/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError, toCliError } from '../cli-error.ts';
import { exitCode, type ErrorCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { connect, type Session } from './connect.ts';
import { openProject, type Project, type ProjectOptions } from './open-project.ts';
import { invalidPlan, noteIssues } from './plan-issues.ts';
import { readDocument } from './read-plan.ts';
import { table } from './table.ts';
import { countOption, userName } from './values.ts';

export interface ConversationOptions extends ProjectOptions {
  readonly conversation: string;
}
export type ListDraftsOptions = ConversationOptions;

export interface SaveOptions extends ConversationOptions {
  readonly draft: string;
  readonly base?: string;
  readonly goal?: string;
  readonly by?: string;
}

export interface ShowOptions extends ConversationOptions {
  readonly draft?: string;
  readonly revision?: string;
}

export interface HistoryOptions extends ConversationOptions {
  readonly limit: string;
  readonly full?: boolean;
}

export interface HandOffOptions extends ShowOptions {
  readonly taskQueue?: string;
  readonly by?: string;
}

export async function saveDraft(options: SaveOptions & GlobalOptions, output: Output, file: string): Promise<number> {
  const base = countOption('--base', options.base, 0);
  const by = userName(options.by);
  const document = await readDocument(file);
  const { drafts } = await openDrafts(options);
  const fields = { plan: document, ...(options.goal !== undefined && { goal: options.goal }) };
  const { draft } = options;
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
    throw new CliError(error.code, `saved as ${nameOf(entry)}, but ${error.message}`, { ...error.details, saved });
  }
  output.print({ ok: true, ...entry }, () => `saved as ${nameOf(entry)}\ndigest ${entry.digest}`);
  return exitCode('done');
}

export async function listDrafts(options: ListDraftsOptions & GlobalOptions, output: Output): Promise<number> {
  const { drafts } = await openDrafts(options);
  const answer = await drafts.list(options.conversation, { kind: 'draft', limit: Number.MAX_SAFE_INTEGER });
  if (!answer.ok) throw toDraftError(answer);
  const latest = new Map((answer.entries as readonly DraftEntry[]).map((entry) => [entry.id, entry]));
  printEntries([...latest.values()], 'drafts', output);
  return exitCode('done');
}

export async function showDraft(options: ShowOptions & GlobalOptions, output: Output): Promise<number> {
  const revision = countOption('--revision', options.revision);
  const { drafts } = await openDrafts(options);
  const { entry, shown } = await findDraft(drafts, options, revision);
  noteIssues(entry.issues, output);
  output.print({ ok: true, ...entry }, () => shown);
  return exitCode('done');
}

export async function showHistory(options: HistoryOptions & GlobalOptions, output: Output): Promise<number> {
  const limit = countOption('--limit', options.limit) ?? 1;
  const { drafts } = await openDrafts(options);
  const answer = await drafts.list(options.conversation, { limit, full: options.full === true });
  if (!answer.ok) throw toDraftError(answer);
  printEntries(answer.entries, 'entries', output);
  return exitCode('done');
}

export async function handOffDraft(options: HandOffOptions & GlobalOptions, output: Output): Promise<number> {
  const revision = countOption('--revision', options.revision);
  const by = userName(options.by);
  const { drafts, project, storeDir } = await openDrafts(options);
  const session = await connect(options, {
    storeDir,
    ...(options.taskQueue !== undefined && { taskQueue: options.taskQueue }),
    ...(project !== undefined && { project }),
  });
  try {
    const { draft } = options;
    const request = { by, ...(draft !== undefined && { draft }), ...(revision !== undefined && { revision }) };
    const answer = await drafts.handOff(options.conversation, request, startRunOnce(session));
    if (!answer.ok) {
      noteIssues(answer.issues ?? [], output);
      throw toDraftError(answer);
    }
    const { entry, repeated } = answer;
    const { workflowId, digest } = entry;
    if (repeated) output.note('this revision was handed off before; there is one run of it');
    output.note(`approve with: planwright approve ${workflowId} --digest ${digest.slice(0, 8)}${session.flags}`);
    output.print({ ok: true, ...entry, repeated }, () => workflowId);
    return exitCode('done');
  } finally {
    await session.close();
  }
}

export interface OpenDrafts {
  readonly drafts: Drafts;
  readonly storeDir: string;
  readonly project: Project | undefined;
}

export async function openDrafts(options: ProjectOptions): Promise<OpenDrafts> {
  const project = await openProject(options);
  const { storeDir } = await import('../../config/index.ts');
  const dir = options.store ?? project?.storeDir ?? storeDir(process.cwd());
  const catalogue = project?.registry;
  const drafts = createDrafts(createFileStore(dir), catalogue === undefined ? {} : { catalogue });
  return { drafts, storeDir: dir, project };
}

const CODES: Readonly<Record<DraftRefusal['code'], ErrorCode>> = {
  'invalid-entry': 'INPUT_INVALID',
  'draft-plan-required': 'INPUT_INVALID',
  'draft-not-found': 'INPUT_INVALID',
  'artifact-not-found': 'INPUT_INVALID',
  'draft-invalid': 'PLAN_INVALID',
  'stale-draft': 'STALE',
};

/** The reason stands in the JSON form, so that a program tells a missing draft from a malformed one. */
export function toDraftError({ code, message, issues }: DraftRefusal): CliError {
  return new CliError(CODES[code], message, { reason: code, ...(issues !== undefined && { issues }) });
}

export function printEntries(entries: readonly Entry[], name: string, output: Output): void {
  output.print(
    { ok: true, [name]: entries },
    () => (entries.length === 0 ? `no ${name}` : table(entries.map(rowOf))),
    () => entries,
  );
}

function rowOf(entry: Entry): readonly string[] {
  return [`${entry.number}`, entry.createdAt, entry.by ?? '', entry.kind, oneLine(entry.id), oneLine(wordsOf(entry))];
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
  }
}

/** What a person or a model wrote must not draw on the terminal or break a row. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

function nameOf({ id, revision, number }: DraftEntry): string {
  return `revision ${revision} of ${oneLine(id)}, entry ${number}`;
}

async function findDraft(
  drafts: Drafts,
  { conversation, draft }: ShowOptions,
  revision: number | undefined,
): Promise<{ readonly entry: Draft; readonly shown: string }> {
  const latest = draft === undefined ? await drafts.latestDraft(conversation) : undefined;
  if (latest?.ok === false) throw toDraftError(latest);
  const id = draft ?? latest?.entry.id ?? '';
  const answer = await drafts.get(conversation, id, revision);
  if (!answer.ok) throw toDraftError(answer);
  const { entry } = answer;
  if (entry.kind !== 'draft') {
    const message = `${oneLine(id)} is no draft; look at it with \`planwright artifact show\` or \`draft history\``;
    throw new CliError('INPUT_INVALID', message, { reason: 'draft-not-found' });
  }
  return { entry, shown: textOf(entry) };
}

/** The plan as a tree where it compiles, else as it was written. */
function textOf(draft: Draft): string {
  const compiled = compilePlan(draft.plan);
  const plan = compiled.ok
    ? `${renderTree(compiled.plan).trimEnd()}\n\ndigest ${compiled.plan.digest}`
    : typeof draft.plan === 'string'
      ? draft.plan
      : JSON.stringify(draft.plan, null, 2);
  return `${nameOf(draft)}\n${draft.goal}\n\n${plan}`;
}

/** A run of this id counts as started whether it is open or closed: the server would start a closed one anew. */
function startRunOnce({ client, plans }: Session): StartRun {
  return async (document, workflowId) => {
    const run = client.workflow.getHandle(workflowId);
    const exists = await run.describe().then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
        throw error;
      },
    );
    if (exists) return { ok: true };
    try {
      return await plans.start(document, { workflowId });
    } catch (error) {
      if (toCliError(error).code === 'ALREADY_STARTED') return { ok: true };
      throw error;
    }
  };
}
