/** `planwright trace`: what happened to a run and who said what. As JSON lines it is the run's audit. */

import type { TraceEntry } from '../../protocol/index.ts';
import { OperationError, type OutputOf } from '../../operations/index.ts';
import { defineCommand } from '../define-command.ts';
import { choice, count, flag, or } from '../options.ts';
import { entryTable, roundTable, type Happened } from '../view/index.ts';
import { begunText, missingText, roundLines } from '../../operations/words/index.ts';
import { PROJECT } from '../flags.ts';

export const traceCommand = defineCommand({
  name: 'trace',
  summary: 'say what happened to a run, and who said what',
  description:
    'say what happened to a run, and who said what; with -o jsonl it is the audit, an object a line. ' +
    'With --rounds: how a run or an agent that decides step by step decided each of them',
  examples: ['planwright trace plan-1 -o jsonl', 'planwright trace plan-1 --rounds --last 5'],
  arguments: { workflowId: 'the run' },
  flags: {
    ...PROJECT,
    after: count('only what came after this entry', 0),
    rounds: flag(
      'the rounds of its loop: who decided, the stages visited, the decision before and after each corrector',
    ),
    last: count('with --rounds: the newest so many', 1),
    format: or('text', choice('<format>', 'of --rounds: text or markdown', ['text', 'markdown'])),
  },
  readsConfig: ({ rounds }) => rounds === true,
  async run({ workflowId, after = 0, rounds: ofLoop, last, format }, { output, perform }) {
    if (ofLoop === true) {
      const told = await perform('rounds', { workflowId, last });
      const { rounds } = told;
      const text = () => (format === 'markdown' ? roundTable(rounds) : roundLines(rounds));
      output.print({ ok: true, ...told }, text, () => rounds);
      return 'done';
    }
    if (last !== undefined) {
      throw new OperationError('USAGE', '--last goes with --rounds; of the entries, --after tells where to begin');
    }
    // The audit is what the run itself has noted.
    const { missing, ...told } = await perform('trace', { workflowId, after, nodes: output.format !== 'jsonl' });
    const { entries, dropped } = told;
    const text = () => entryTable(inOrder(told), { columns: output.lineColumns }, true);
    output.print({ ok: true, ...told }, text, () => entries);
    if (missing !== undefined) output.note(`note: ${missingText(missing)}`);
    if (dropped > 0) {
      output.note(`note: ${dropped} more entries about nodes, questions and refused messages were not kept by the run`);
    }
    return 'done';
  },
});

/** With each node where its last attempt began; of what came before the first entry that is told nothing is. */
function inOrder({ entries, nodes }: OutputOf<'trace'>): readonly Happened[] {
  const [first] = entries;
  if (first === undefined) return [];
  const told = entries.map((entry): Happened => ({ ...entry, text: `${entry.text}${mark(entry.said)}` }));
  const begun = nodes.flatMap((node): Happened[] => {
    const { startedAt: at } = node;
    return at === undefined || at < first.at ? [] : [{ at, what: 'node', text: begunText(node) }];
  });
  return [...told, ...begun].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function mark(said: TraceEntry['said']): string {
  if (said === undefined) return '';
  const { by, role } = said;
  const told = [
    ...(by === undefined ? [] : [`${by}${role === undefined ? '' : ` as ${role}`}`]),
    ...('question' in said && said.question !== undefined ? [said.question] : []),
    ...('verified' in said && !said.verified ? ['unverified'] : []),
  ];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
