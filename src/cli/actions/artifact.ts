/** `planwright artifact`. */

import type { Artifact } from '../../drafts/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { openDrafts, printEntries, toDraftError, type ConversationOptions } from './draft.ts';
import { readPlan } from './read-plan.ts';
import { countOption, userName } from './values.ts';

export type ArtifactOptions = ConversationOptions;

export interface SaveArtifactOptions extends ConversationOptions {
  readonly by?: string;
}

export interface ListArtifactsOptions extends ConversationOptions {
  readonly limit: string;
  readonly full?: boolean;
}

export async function saveArtifact(
  options: SaveArtifactOptions & GlobalOptions,
  output: Output,
  file: string,
): Promise<number> {
  const by = userName(options.by);
  const fields = parse(await readPlan(file), file);
  const { drafts } = await openDrafts(options);
  const answer = await drafts.saveArtifact(options.conversation, fields, { by });
  if (!answer.ok) throw toDraftError(answer);
  const { entry } = answer;
  output.print({ ok: true, ...entry }, () => entry.id);
  return exitCode('done');
}

export async function listArtifacts(options: ListArtifactsOptions & GlobalOptions, output: Output): Promise<number> {
  const limit = countOption('--limit', options.limit) ?? 1;
  const { drafts } = await openDrafts(options);
  const answer = await drafts.list(options.conversation, { kind: 'artifact', limit, full: options.full === true });
  if (!answer.ok) throw toDraftError(answer);
  printEntries(answer.entries, 'artifacts', output);
  return exitCode('done');
}

export async function showArtifact(
  options: ArtifactOptions & GlobalOptions,
  output: Output,
  id: string,
): Promise<number> {
  const { drafts } = await openDrafts(options);
  const answer = await drafts.get(options.conversation, id);
  if (!answer.ok) throw toDraftError(answer);
  const { entry } = answer;
  if (entry.kind !== 'artifact') {
    const message = `${JSON.stringify(id)} is no artifact; look at it with \`planwright draft show\` or \`draft history\``;
    throw new CliError('INPUT_INVALID', message, { reason: 'artifact-not-found' });
  }
  output.print({ ok: true, ...entry }, () => textOf(entry));
  return exitCode('done');
}

function textOf({ title, summary, assumptions, parameters, proposedPlan }: Artifact): string {
  const rest = { assumptions, parameters, ...(proposedPlan !== undefined && { proposedPlan }) };
  return [title, ...(summary === '' ? [] : [summary]), JSON.stringify(rest, null, 2)].join('\n\n');
}

function parse(bytes: Uint8Array, file: string): object {
  const name = file === '-' ? 'standard input' : file;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new CliError('INPUT_INVALID', `${name} is no JSON in UTF-8: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CliError('INPUT_INVALID', `${name}: expected an object { "title": "...", "summary": "...", ... }`);
}
