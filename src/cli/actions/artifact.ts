/** `planwright artifact`: what a conversation found out or proposes, kept before anything runs. */

import type { Artifact } from '../../builtin/drafts/index.ts';
import { openDrafts } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError } from '../cli-error.ts';
import { toDraftError } from '../draft-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { readJsonObject, userName } from '../reading/index.ts';
import { printEntries } from '../showing/index.ts';
import type { ConversationOptions, HistoryOptions } from './draft.ts';

export interface SaveArtifactOptions extends ConversationOptions {
  readonly by?: string | undefined;
}

const ARTIFACT = '{ "title": "...", "summary": "...", ... }';

export async function saveArtifact(
  options: SaveArtifactOptions & GlobalOptions,
  output: Output,
  file: string,
): Promise<number> {
  const by = userName(options.by);
  const fields = await readJsonObject(file, ARTIFACT);
  const { drafts } = await openDrafts(options);
  const answer = await drafts.saveArtifact(options.conversation, fields, { by });
  if (!answer.ok) throw toDraftError(answer);
  const { entry } = answer;
  output.print({ ok: true, ...entry }, () => entry.id);
  return exitCode('done');
}

export async function listArtifacts(options: HistoryOptions & GlobalOptions, output: Output): Promise<number> {
  const { conversation, limit, full = false } = options;
  const { drafts } = await openDrafts(options);
  const answer = await drafts.list(conversation, { kind: 'artifact', limit, full });
  if (!answer.ok) throw toDraftError(answer);
  printEntries(answer.entries, 'artifacts', output);
  return exitCode('done');
}

export async function showArtifact(
  options: ConversationOptions & GlobalOptions,
  output: Output,
  id: string,
): Promise<number> {
  const { drafts } = await openDrafts(options);
  const answer = await drafts.get(options.conversation, id);
  if (!answer.ok) throw toDraftError(answer);
  const { entry } = answer;
  if (entry.kind !== 'artifact') {
    const message = `${JSON.stringify(id)} is no artifact; look at it with \`${asTyped('draft show')}\` or \`draft history\``;
    throw new CliError('INPUT_INVALID', message, { reason: 'artifact-not-found' });
  }
  output.print({ ok: true, ...entry }, () => textOf(entry));
  return exitCode('done');
}

function textOf({ title, summary, assumptions, parameters, proposedPlan }: Artifact): string {
  const rest = { assumptions, parameters, ...(proposedPlan !== undefined && { proposedPlan }) };
  return [title, ...(summary === '' ? [] : [summary]), JSON.stringify(rest, null, 2)].join('\n\n');
}
