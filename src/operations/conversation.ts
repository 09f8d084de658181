import type { FullEntry } from '../capabilities/builtin/drafts/index.ts';
import { startOnce } from '../config/project/index.ts';
import { oneLine } from '../plan/text/index.ts';
import { given } from '../protocol/index.ts';
import { invalidPlanError, OperationError } from './operation-error.ts';
import {
  choiceField,
  countField,
  flagField,
  IN_PROJECT,
  MAY_ACT,
  operation,
  SIGNED,
  textField,
  type Z,
} from './operation.ts';

const conversation = (z: Z) => ({
  conversation: z.string().describe('the conversation, any text of at most 200 characters'),
});
const saving = (z: Z) => ({ ...conversation(z), by: z.string().describe('who says it') });
const ALL = { entries: ['number', 'createdAt', 'by', 'kind', 'id', 'revision', 'errors', 'outcome', 'title', 'goal'] };
const WRAPPED = { title: 'wrapped', summary: 'wrapped' } as const;
const ARTIFACT = { ...WRAPPED, assumptions: 'value', parameters: 'value', proposedPlan: 'value' } as const;
const REVISION = { id: 'value', revision: 'value', number: 'value' } as const;
const SAVED = { ...REVISION, digest: 'value' } as const;

/**
 * Stores the plan and prints its errors, without a server (docs/drafts.md). Exits 3 if the plan has errors, and 6 if
 * the draft has a later revision than `--base`.
 *
 * JSON, like `draft show`:
 * `{"ok":true,"kind":"draft","id","conversation","number","revision","createdAt","by"?,"goal","digest"?,"errors","plan","notes"?,"issues"}`;
 * with errors `{"ok":false,"error":{"code":"PLAN_INVALID","message","issues","saved"}}`.
 */
export const saveDraft = operation({
  command: { words: 'draft save <file>', place: IN_PROJECT, from: { by: 'person', plan: 'document' }, shows: SAVED },
  does: 'Save a plan as the next revision of a draft, with errors too.',
  readOnly: false,
  input: (z) =>
    z.object({
      ...saving(z),
      plan: z.unknown().describe('plan document, or the root of its tree with --goal'),
      draft: z.string().default('delegation_draft').describe('name of the draft'),
      base: countField(z, 'the revision it was made from; refused when there is a later one', 0),
      goal: textField(z, 'goal of a plan that has none'),
    }),
  async run(plans, { conversation: id, plan, goal, draft, by: person, base }) {
    const drafts = await plans.drafts({ compiles: true });
    const { entry: saved } = await drafts.saveDraft(id, { plan, goal }, { draft, by: person, base });
    if (saved.digest !== undefined) return saved;
    const error = invalidPlanError(saved.issues);
    const { plan: _plan, issues: _issues, ...record } = saved;
    const { message, details } = error;
    const name = `revision ${saved.revision} of ${oneLine(saved.id)}, entry ${saved.number}`;
    throw new OperationError(error.code, `saved as ${name}, but ${message}`, { ...details, saved: record });
  },
});

export const history = operation({
  command: { words: 'draft history', lines: ['entries'], place: IN_PROJECT, shows: ALL },
  does: 'List the drafts, artifacts and runs of a conversation.',
  input: (z) =>
    z.object({
      ...conversation(z),
      kind: choiceField(z, ['artifact', 'draft', 'handed-off', 'ended'], 'artifact, draft, handed-off or ended'),
      limit: z.int().positive().default(50).describe('the last so many'),
      full: flagField(z, 'with contents, in JSON'),
    }),
  async run(plans, { conversation: id, limit, full = false, kind }) {
    const drafts = await plans.drafts();
    return { entries: (await drafts.list(id, { limit, full, ...given({ kind }) })).entries };
  },
});

export const showEntry = operation({
  command: {
    words: 'draft show [id]',
    place: IN_PROJECT,
    shows: { ...REVISION, ...ARTIFACT, plan: 'tree' },
  },
  does: 'Show a draft with its plan and its errors, or an artifact.',
  input: (z) =>
    z.object({
      ...conversation(z),
      id: textField(z, 'the draft or the artifact (default: the draft that was saved last)'),
      revision: countField(z, 'of a draft (default: the latest)'),
    }),
  async run(plans, { conversation: of, id, revision }): Promise<FullEntry> {
    const drafts = await plans.drafts();
    return (await drafts.get(of, id, revision)).entry;
  },
});

export const handOff = operation({
  command: {
    words: 'draft hand-off',
    place: [...IN_PROJECT, 'taskQueue', ...SIGNED],
    from: { by: 'person' },
    shows: { workflowId: 'text' },
  },
  does: 'Start a run of exactly the plan of a draft, once.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      ...conversation(z),
      draft: textField(z, 'the draft (default: the one that was saved last)'),
      revision: countField(z, 'the revision (default: the latest)'),
      ...saving(z),
    }),
  async run(plans, { conversation: id, draft, revision, by: name }) {
    const drafts = await plans.drafts({ compiles: true });
    const session = await plans.session();
    const request = given({ by: name, draft, revision });
    const { entry, repeated } = await drafts.handOff(id, request, startOnce(session, name));
    return { ...entry, repeated };
  },
});

/**
 * Stores a JSON file `{ title, summary, assumptions, parameters, proposedPlan }` as an artifact, and prints its id;
 * `draft show ID` and `draft history --kind artifact` show it.
 */
export const saveArtifact = operation({
  command: {
    words: 'artifact save <file>',
    place: IN_PROJECT,
    from: { by: 'person', fields: 'object' },
    shows: { id: 'text' },
  },
  does: 'Save what a conversation found out or proposes.',
  readOnly: false,
  input: (z) =>
    z.object({
      ...saving(z),
      fields: z
        .record(z.string(), z.unknown())
        .describe('JSON: { title, summary, assumptions, parameters, proposedPlan }'),
    }),
  async run(plans, { conversation: id, fields, by: name }) {
    const drafts = await plans.drafts();
    return (await drafts.saveArtifact(id, fields, { by: name })).entry;
  },
});
