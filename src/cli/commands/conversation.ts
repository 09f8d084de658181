/** `planwright draft` and `artifact`: what a conversation works on before any run. Only a hand-off needs a server. */

import type { Entry } from '../../capabilities/builtin/drafts/index.ts';
import { table } from '../../plan/lines/index.ts';
import { oneLine, visible } from '../../plan/text/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand, defineGroup } from '../define-command.ts';
import { count, flag, or, required, text } from '../options.ts';
import { KEY, PLAN_FILE, PROJECT, TASK_QUEUE } from '../flags.ts';

const CONVERSATION = {
  ...PROJECT,
  conversation: required(text('<id>', 'the conversation, any text of at most 200 characters')),
};
/** The draft of the conversation. */
const DRAFT = {
  ...CONVERSATION,
  draft: text('<name>', 'the draft (default: the one that was saved last)'),
  revision: count('the revision (default: the latest)'),
};
const PAGE = { ...CONVERSATION, limit: or(50, count('the last so many')), full: flag('with contents, in JSON') };
const SAVES = text('<name>', 'who saves (default: your user name)');

const reading = () => import('../reading/index.ts');

const saveDraft = defineCommand({
  name: 'save',
  description: 'compile a plan and keep it as a revision, with errors too (exit 3)',
  arguments: { file: `${PLAN_FILE.file.split(',')[0]}, or the root of its tree with --goal; - for standard input` },
  flags: {
    ...CONVERSATION,
    draft: or('delegation_draft', text('<name>', 'name of the draft')),
    base: count('the revision it was made from; refused when there is a later one', 0),
    goal: text('<text>', 'goal of a plan that has none'),
    by: SAVES,
  },
  operation: 'saveDraft',
  async input({ conversation, draft, base, goal, by, file }) {
    const { readDocument, userName } = await reading();
    return { conversation, draft, base, goal, by: userName(by), plan: await readDocument(file) };
  },
  show: ({ id, revision, number, digest }) =>
    `saved as revision ${revision} of ${oneLine(id)}, entry ${number}\ndigest ${digest}`,
});

const listDrafts = defineCommand({
  name: 'list',
  description: 'the drafts of a conversation, each with its latest revision',
  flags: CONVERSATION,
  operation: 'listDrafts',
  input: ({ conversation }) => ({ conversation }),
  json: ({ entries: drafts }) => ({ drafts }),
  show: ({ entries }) => entriesText(entries, 'drafts'),
  lines: ['drafts'],
});

/** A page of entries. */
function listing(operation: 'history' | 'listArtifacts', name: string, description: string, list: string) {
  return defineCommand({
    name,
    description,
    flags: PAGE,
    operation,
    input: ({ conversation, limit, full }) => ({ conversation, limit, full }),
    json: ({ entries }) => ({ [list]: entries }),
    show: ({ entries }) => entriesText(entries, list),
    lines: [list],
  });
}

const history = listing('history', 'history', 'everything that a conversation holds, in order', 'entries');
const listArtifacts = listing('listArtifacts', 'list', 'the artifacts of a conversation, in order', 'artifacts');

const showDraft = defineCommand({
  name: 'show',
  description: 'a revision of a draft: its plan, and what is wrong with it',
  flags: DRAFT,
  operation: 'showDraft',
  input: ({ conversation, draft, revision }) => ({ conversation, draft, revision }),
  async show(draft, { output: { columns } }) {
    const { draftText } = await import('../plan-text.ts');
    return draftText(draft, columns);
  },
});

const handOff = defineCommand({
  name: 'hand-off',
  description: 'start a run of exactly the plan of a draft, once for each revision',
  flags: { ...DRAFT, taskQueue: TASK_QUEUE, by: text('<name>', 'who hands it off (default: your user name)'), ...KEY },
  operation: 'handOff',
  async input({ conversation, draft, revision, by }) {
    const { userName } = await reading();
    return { conversation, draft, revision, by: userName(by) };
  },
  show: ({ workflowId }) => workflowId,
  notes: ({ repeated, workflowId, digest }, { flags }) => [
    ...(repeated ? ['this revision was handed off before; there is one run of it'] : []),
    `approve with: ${asTyped(`approve ${workflowId} --digest ${digest.slice(0, 8)}${flags}`)}`,
  ],
});

export const draftCommand = defineGroup(
  {
    name: 'draft',
    description: 'plans that are worked on in a conversation, before they run',
    example: 'planwright draft save plan.json --conversation reef-7 --by planner',
  },
  [saveDraft, listDrafts, showDraft, history, handOff],
);

const saveArtifact = defineCommand({
  name: 'save',
  description: 'keep an artifact',
  arguments: { file: 'JSON: { title, summary, assumptions, parameters, proposedPlan }; - for standard input' },
  flags: { ...CONVERSATION, by: SAVES },
  operation: 'saveArtifact',
  async input({ conversation, by, file }) {
    const { readJsonObject, userName } = await reading();
    const fields = await readJsonObject(file, '{ "title": "...", "summary": "...", ... }');
    return { conversation, by: userName(by), fields };
  },
  show: ({ id }) => id,
});

const showArtifact = defineCommand({
  name: 'show',
  description: 'an artifact with its contents',
  arguments: { id: 'the artifact' },
  flags: CONVERSATION,
  operation: 'showArtifact',
  input: ({ conversation, id }) => ({ conversation, id }),
  show({ title, summary, assumptions, parameters, proposedPlan }) {
    const rest = { assumptions, parameters, ...(proposedPlan !== undefined && { proposedPlan }) };
    return [title, ...(summary === '' ? [] : [summary]), JSON.stringify(rest, null, 2)].join('\n\n');
  },
});

export const artifactCommand = defineGroup(
  {
    name: 'artifact',
    description: 'what a conversation found out or proposes, before anything runs',
    example: 'planwright artifact save findings.json --conversation reef-7 --by planner',
  },
  [saveArtifact, listArtifacts, showArtifact],
);

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
