/** What operations do not say about their commands: the text of an answer, its exit, notes on stderr. */

import { wrongUsage } from '../../operations/index.ts';
import { quoteForShell } from '../../plan/text/index.ts';
import { asTyped, typedAgain } from '../typed-command.ts';
import type { Views } from '../row-command.ts';

const decide = () => import('./decide.ts');
const decision = (kind: 'reject' | 'edit' | 'revise' | 'withdraw') => async () => (await decide()).verbView(kind);

export const VIEWS: Views = {
  answer: async () => (await import('./answer.ts')).answerView,
  approve: async () => (await decide()).approveView,
  collectStore: async () => ({
    onward: 'what was removed is gone, and nothing that is needed; type it again to go on',
    notes({ removed }, { typed, flags }) {
      if (removed !== undefined) return [];
      const named = ['also', 'gone'].flatMap((name) =>
        [typed[name] ?? []].flat().map((one) => typedAgain({ [name]: one }, [name])),
      );
      const same = `${typedAgain(typed, ['store', 'config', 'demo', 'deleted', 'olderThan'])}${named.join('')}${flags}`;
      return [`nothing was removed; remove it with: ${asTyped(`store gc --remove${same}`)}`];
    },
  }),
  compile: async () => ({
    show: async (found, { output }) =>
      found.mermaid ?? (await import('../plan-text.ts')).compiledText(found, output.columns),
    notes: ({ limits }) => (limits === undefined ? [] : [`note: ${limits}`]),
  }),
  copyStore: async () => ({
    onward: 'what was copied stays; type it again to go on',
    fails: ({ problems }) => problems.length > 0,
  }),
  decisions: async () => ({
    notes: ({ problems }) => problems,
    fails: ({ problems }) => problems.length > 0,
  }),
  diff: async () => ({
    show: ({ same, after, text }) => (same ? `one plan, digest ${after}` : text),
    exit: ({ same }) => (same ? 'done' : 'badOutcome'),
  }),
  edit: decision('edit'),
  effects: async () => (await decide()).effectsView,
  handOff: async () => ({
    notes: ({ repeated, workflowId, digest }, { flags }) => [
      ...(repeated ? ['this revision was handed off before; there is one run of it'] : []),
      `approve with: ${asTyped(`approve ${quoteForShell(workflowId)} --digest ${digest.slice(0, 8)}${flags}`)}`,
    ],
  }),
  inbox: async () => (await import('./list.ts')).inboxView,
  list: async () => (await import('./list.ts')).listView,
  plan: async () => (await import('./plan.ts')).planView,
  receipt: async () => ({
    isBare: true,
    show: (answer) => JSON.stringify(answer, null, 'unsigned' in answer ? 2 : undefined),
    notes: (answer) => ('unsigned' in answer ? [`note: ${answer.unsigned}`] : []),
  }),
  reject: decision('reject'),
  result: async () => ({
    input({ format }, { output }) {
      if (format === undefined || format === 'json') return { format: output.format === 'text' ? 'ids' : 'json' };
      if (output.format === 'text') return {};
      const message = `--format ${format as string} is a text, and -o ${output.format} is none; give one of them`;
      throw wrongUsage(message);
    },
    onward: ({ workflowId }, flags) =>
      `the run goes on; come back with \`${asTyped(`result ${quoteForShell(String(workflowId))}${flags}`)}\``,
    async handle(work, { workflowId = '' }, { flags, output, plans }) {
      const { run } = await plans.run(workflowId);
      const { reportWait } = await import('../report-wait.ts');
      return reportWait(run, { flags, output }, work());
    },
  }),
  revise: decision('revise'),
  // The output must be exactly a schema, so it has no `ok`.
  schema: async () => ({ isBare: true, show: (schema) => JSON.stringify(schema, null, 2) }),
  status: async () => (await import('./status.ts')).statusView,
  trace: async () => (await import('./status.ts')).traceView,
  verify: async () => ({
    fails: ({ problems }) => problems.length > 0,
  }),
  why: async () => (await import('./status.ts')).whyView,
  withdraw: decision('withdraw'),
};
