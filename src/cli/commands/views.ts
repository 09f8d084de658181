/** How the answer of each operation is shown; of one that is not here, by its names and values. */

import type { Views } from '../row-command.ts';

const conversation = () => import('./conversation.ts');
const documents = () => import('./documents.ts');
const store = () => import('./store.ts');

const decide = () => import('./decide.ts');

export const VIEWS: Views = {
  answer: async () => (await import('./answer.ts')).answerView,
  approve: async () => (await decide()).approveView,
  capabilities: async () => (await import('./project.ts')).capabilitiesView,
  caseOf: async () => (await import('./eval.ts')).evalAddView,
  checkStore: async () => (await store()).checkView,
  collectStore: async () => (await store()).gcView,
  combine: async () => (await import('./sets.ts')).combineView,
  compile: async () => (await documents()).compileView,
  control: async () => ({ show: ({ workflowId, reply }) => `${workflowId}: ${reply}` }),
  copyStore: async () => (await store()).copyView,
  decide: async () => (await decide()).decideView,
  diff: async () => (await documents()).diffView,
  evaluate: async () => (await import('./eval.ts')).evalView,
  explain: async () => (await documents()).explainView,
  graph: async () => (await documents()).graphView,
  handOff: async () => (await conversation()).handOffView,
  history: async () => (await conversation()).listingView('entries'),
  inbox: async () => (await import('./list.ts')).inboxView,
  list: async () => (await import('./list.ts')).listView,
  listArtifacts: async () => (await conversation()).listingView('artifacts'),
  listDrafts: async () => (await conversation()).listingView('drafts'),
  measureStore: async () => (await store()).duView,
  page: async () => ({ show: ({ url }) => url }),
  plan: async () => (await import('./plan.ts')).planView,
  reject: async () => (await decide()).rejectView,
  result: async () => (await import('./sets.ts')).resultView,
  saveArtifact: async () => (await conversation()).saveArtifactView,
  saveDraft: async () => (await conversation()).saveDraftView,
  schema: async () => (await documents()).schemaView,
  showArtifact: async () => (await conversation()).showArtifactView,
  showDraft: async () => (await conversation()).showDraftView,
  status: async () => (await import('./status.ts')).statusView,
  trace: async () => (await import('./trace.ts')).traceView,
  why: async () => (await import('./why.ts')).whyView,
};
