/** The contents of a conversation before any run: drafts of plans with their hand-offs, and artifacts. */

import type { Draft, DraftAnswer, DraftEntry } from '../capabilities/builtin/drafts/index.ts';
import { startOnce } from '../config/project/index.ts';
import { oneLine, quote } from '../plan/text/index.ts';
import { given } from '../protocol/index.ts';
import { draftError, invalidPlan, OperationError } from './operation-error.ts';
import { countField, flagField, IN_PROJECT, MAY_ACT, operation, SIGNED, textField, type Z } from './operation.ts';
import type { Plans } from './plans.ts';

const conversation = (z: Z) => ({
  conversation: z.string().describe('the conversation, any text of at most 200 characters'),
});
const by = (z: Z) => ({ by: z.string().describe('who says it') });
const ofDraft = (z: Z) => ({
  ...conversation(z),
  draft: textField(z, 'the draft (default: the one that was saved last)'),
  revision: countField(z, 'the revision (default: the latest)'),
});
const page = (z: Z) => ({
  ...conversation(z),
  limit: z.int().positive().default(50).describe('the last so many'),
  full: flagField(z, 'with contents, in JSON'),
});

const ALL = { entries: ['number', 'createdAt', 'by', 'kind', 'id', 'revision', 'errors', 'outcome', 'title', 'goal'] };
const REVISION = { id: 'value', revision: 'value', number: 'value' } as const;
const SAVED = { ...REVISION, digest: 'value' } as const;

export const saveDraft = operation({
  command: { words: 'draft save <file>', place: IN_PROJECT, from: { by: 'person', plan: 'document' }, shows: SAVED },
  does: 'Compiles a plan and keeps it as the next revision of a draft, with errors too. Runs nothing.',
  readOnly: false,
  input: (z) =>
    z.object({
      ...conversation(z),
      ...by(z),
      plan: z.unknown().describe('plan document, or the root of its tree with --goal'),
      draft: z.string().default('delegation_draft').describe('name of the draft'),
      base: countField(z, 'the revision it was made from; refused when there is a later one', 0),
      goal: textField(z, 'goal of a plan that has none'),
    }),
  async run(plans, { conversation: id, plan, goal, draft, by: name, base }) {
    const drafts = await plans.drafts({ compiles: true });
    const { entry: saved } = taken(await drafts.saveDraft(id, given({ plan, goal }), given({ draft, by: name, base })));
    if (saved.digest !== undefined) return saved;
    const error = invalidPlan(saved.issues);
    const { plan: _plan, issues: _issues, ...told } = saved;
    const { message, details } = error;
    throw new OperationError(error.code, `saved as ${entryName(saved)}, but ${message}`, { ...details, saved: told });
  },
});

/** A row that lists entries of a conversation, or those of one kind. */
function listing(words: string, does: string, kind?: 'artifact') {
  return operation({
    command: { words, place: IN_PROJECT, shows: ALL },
    does,
    input: (z) => z.object(page(z)),
    async run(plans, { conversation: id, limit, full = false }) {
      const drafts = await plans.drafts();
      return { entries: taken(await drafts.list(id, { limit, full, ...given({ kind }) })).entries };
    },
  });
}

export const history = listing('draft history', 'Lists everything that a conversation holds, in order.');

export const listArtifacts = listing('artifact list', 'Lists the artifacts of a conversation, in order.', 'artifact');

export const listDrafts = operation({
  command: { words: 'draft list', place: IN_PROJECT, shows: ALL },
  does: 'Lists the drafts of a conversation, each with its latest revision.',
  input: (z) => z.object(conversation(z)),
  async run(plans, { conversation: id }) {
    const drafts = await plans.drafts();
    const { entries: all } = taken(await drafts.list(id, { kind: 'draft', limit: Number.MAX_SAFE_INTEGER }));
    return { entries: [...new Map((all as readonly DraftEntry[]).map((one) => [one.id, one])).values()] };
  },
});

export const showDraft = operation({
  command: { words: 'draft show', place: IN_PROJECT, shows: { ...REVISION, plan: 'tree' } },
  does: 'Gives a revision of a draft: its plan, and everything that is wrong with it.',
  input: (z) => z.object(ofDraft(z)),
  async run(plans, { conversation: id, draft, revision }): Promise<Draft> {
    const drafts = await plans.drafts();
    const name = draft ?? taken(await drafts.latestDraft(id)).entry.id;
    const { entry: found } = taken(await drafts.get(id, name, revision));
    if (found.kind === 'draft') return found;
    throw another(oneLine(name), 'draft', plans, 'artifact');
  },
});

export const handOff = operation({
  command: { words: 'draft hand-off', place: [...IN_PROJECT, 'taskQueue', ...SIGNED], from: { by: 'person' } },
  does: 'Starts a run of exactly the plan of a draft, once for each revision.',
  ...MAY_ACT,
  input: (z) => z.object({ ...ofDraft(z), ...by(z) }),
  async run(plans, { conversation: id, draft, revision, by: name }) {
    const drafts = await plans.drafts({ compiles: true });
    const session = await plans.session();
    const request = given({ by: name, draft, revision });
    const { entry: begun, repeated } = taken(await drafts.handOff(id, request, startOnce(session, name)));
    return { ...begun, repeated };
  },
});

export const saveArtifact = operation({
  command: { words: 'artifact save <file>', place: IN_PROJECT, from: { by: 'person', fields: 'object' } },
  does: 'Keeps what a conversation found out or proposes.',
  readOnly: false,
  input: (z) =>
    z.object({
      ...conversation(z),
      ...by(z),
      fields: z
        .record(z.string(), z.unknown())
        .describe('JSON: { title, summary, assumptions, parameters, proposedPlan }'),
    }),
  async run(plans, { conversation: id, fields, by: name }) {
    const drafts = await plans.drafts();
    return taken(await drafts.saveArtifact(id, fields, { by: name })).entry;
  },
});

export const showArtifact = operation({
  command: {
    words: 'artifact show <id>',
    place: IN_PROJECT,
    shows: { title: 'wrapped', summary: 'wrapped', assumptions: 'value', parameters: 'value', proposedPlan: 'value' },
  },
  does: 'Gives an artifact with its contents.',
  input: (z) => z.object({ ...conversation(z), id: z.string().describe('the artifact') }),
  async run(plans, { conversation: of, id }) {
    const drafts = await plans.drafts();
    const { entry: found } = taken(await drafts.get(of, id));
    if (found.kind === 'artifact') return found;
    throw another(quote(id), 'artifact', plans, 'draft');
  },
});

/** @throws OperationError with the code and the reason of the refusal */
function taken<Given>(answer: DraftAnswer<Given>): { readonly ok: true } & Given {
  if (answer.ok) return answer;
  throw draftError(answer);
}

function another(name: string, wanted: string, { typed }: Plans, is: string): OperationError {
  const message = `${name} is no ${wanted}; look at it with \`${typed(`${is} show`)}\` or \`draft history\``;
  return new OperationError('INPUT_INVALID', message, { reason: `${wanted}-not-found` });
}

/** How a revision of a draft is named to people. */
export function entryName({ id, revision, number }: Pick<DraftEntry, 'id' | 'revision' | 'number'>): string {
  return `revision ${revision} of ${oneLine(id)}, entry ${number}`;
}
