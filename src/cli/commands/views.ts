/** How the answer of each operation is shown; of one that is not here, by its names and values. */

import type { Views } from '../row-command.ts';

const conversation = () => import('./conversation.ts');
const documents = () => import('./documents.ts');
const store = () => import('./store.ts');

export const VIEWS: Views = {
  capabilities: async () => (await import('./project.ts')).capabilitiesView,
  checkStore: async () => (await store()).checkView,
  collectStore: async () => (await store()).gcView,
  combine: async () => (await import('./sets.ts')).combineView,
  compile: async () => (await documents()).compileView,
  control: async () => ({ show: ({ workflowId, reply }) => `${workflowId}: ${reply}` }),
  copyStore: async () => (await store()).copyView,
  diff: async () => (await documents()).diffView,
  evaluate: async () => (await import('./eval.ts')).evalView,
  explain: async () => (await documents()).explainView,
  handOff: async () => (await conversation()).handOffView,
  history: async () => (await conversation()).listingView('entries'),
  inbox: async () => (await import('./list.ts')).inboxView,
  list: async () => (await import('./list.ts')).listView,
  listArtifacts: async () => (await conversation()).listingView('artifacts'),
  listDrafts: async () => (await conversation()).listingView('drafts'),
  measureStore: async () => (await store()).duView,
  page: async () => ({ show: ({ url }) => url }),
  result: async () => (await import('./sets.ts')).resultView,
  saveArtifact: async () => (await conversation()).saveArtifactView,
  saveDraft: async () => (await conversation()).saveDraftView,
  showArtifact: async () => (await conversation()).showArtifactView,
  showDraft: async () => (await conversation()).showDraftView,
  status: async () => (await import('./status.ts')).statusView,
  why: async () => (await import('./why.ts')).whyView,
};
