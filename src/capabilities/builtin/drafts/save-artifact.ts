/** Saves an artifact: a finding or a proposal of a conversation before there is a plan. */

import { isRecord } from '../../../protocol/index.ts';
import type { DraftAnswer } from './draft-error.ts';
import type { SaveOptions } from './drafts.ts';
import { writeContents, type ArtifactContents } from './entry-contents.ts';
import { append, type Appended } from './journal.ts';
import { ARTIFACT_FIELDS, readFields, readJson, readText, type Problems } from './read-fields.ts';
import { authorOf, invalidEntry, keyOf, type Setting } from './setting.ts';

/** Pathfinder: an artifact without a title. */
const UNTITLED = 'New Conversation';

export async function saveArtifact(
  setting: Setting,
  conversation: string,
  fields: unknown,
  { by, idempotencyKey }: SaveOptions = {},
): Promise<DraftAnswer<Extract<Appended, { ok: true }>>> {
  const problems: Problems = [];
  const author = authorOf(setting, conversation, by, problems);
  const key = keyOf(setting, 'artifact', idempotencyKey, problems);
  const values = readFields(fields, ARTIFACT_FIELDS, problems);
  const title = readText('title', values.title, problems) ?? UNTITLED;
  const contents = readContents(values, problems);
  if (problems.length > 0) return invalidEntry(problems);
  const content = await writeContents(setting.store, contents, problems);
  if (content === undefined) return invalidEntry(problems);
  const id = `plan_${setting.newId().slice(0, 12)}`;
  return append(setting.store, { kind: 'artifact', id, ...author, title, key, content });
}

function readContents(
  values: { readonly [field in keyof typeof ARTIFACT_FIELDS]?: unknown },
  problems: Problems,
): ArtifactContents {
  const assumptions = readJson('assumptions', values.assumptions ?? [], problems) ?? [];
  const parameters = readJson('parameters', values.parameters ?? {}, problems) ?? {};
  if (!Array.isArray(assumptions)) problems.push('assumptions: expected a list');
  if (!isRecord(parameters)) problems.push('parameters: expected an object');
  const proposedPlan = readJson('proposedPlan', values.proposedPlan, problems);
  return {
    summary: readText('summary', values.summary, problems) ?? '',
    assumptions: assumptions as ArtifactContents['assumptions'],
    parameters: parameters as ArtifactContents['parameters'],
    ...(proposedPlan !== undefined && { proposedPlan }),
  };
}
