/** What a command's row does not describe: a view of its answer, its exit, notes on stderr. */

import { asTyped } from '../typed-command.ts';
import type { Views } from '../row-command.ts';

const decide = () => import('./decide.ts');

export const VIEWS: Views = {
  answer: async () => (await import('./answer.ts')).answerView,
  approve: async () => (await decide()).approveView,
  collectStore: async () => ({
    onward: 'what was removed is gone, and nothing that is needed; type it again to go on',
    notes: ({ removed }) =>
      removed === undefined ? [`nothing was removed; remove it with: ${asTyped('store gc --remove')}`] : [],
  }),
  compile: async () => ({
    show: async (found, { output }) =>
      found.mermaid ?? (await import('../plan-text.ts')).compiledText(found, output.columns),
    notes: ({ limits }) => (limits === undefined ? [] : [`note: ${limits}`]),
  }),
  control: async () => ({ show: ({ workflowId, reply }) => `${workflowId}: ${reply}` }),
  copyStore: async () => ({
    onward: 'what was copied stays; type it again to go on',
    fails: ({ problems }) => problems.length > 0,
  }),
  decide: async () => (await decide()).decideView,
  diff: async () => ({
    show: ({ same, after, text }) => (same ? `one plan, digest ${after}` : text),
    exit: ({ same }) => (same ? 'done' : 'badOutcome'),
  }),
  effects: async () => (await decide()).effectsView,
  handOff: async () => ({
    notes: ({ repeated, workflowId, digest }, { flags }) => [
      ...(repeated ? ['this revision was handed off before; there is one run of it'] : []),
      `approve with: ${asTyped(`approve ${workflowId} --digest ${digest.slice(0, 8)}${flags}`)}`,
    ],
  }),
  inbox: async () => (await import('./list.ts')).inboxView,
  list: async () => (await import('./list.ts')).listView,
  plan: async () => (await import('./plan.ts')).planView,
  reject: async () => (await decide()).rejectView,
  result: async () => (await import('./result.ts')).resultView,
  // Printed bare in every format, so that it can be redirected to a file.
  schema: async () => ({ isBare: true, show: (schema) => JSON.stringify(schema, null, 2) }),
  status: async () => (await import('./status.ts')).statusView,
  trace: async () => (await import('./trace.ts')).traceView,
  why: async () => (await import('./why.ts')).whyView,
};
