/** `planwright status`: the state of a run and the next command. */

import { wrap } from '../../plan/lines/index.ts';
import { quoteForShell } from '../../plan/text/index.ts';
import { exitOf, type OutputOf } from '../../operations/index.ts';
import { asTyped } from '../typed-command.ts';
import type { View } from '../row-command.ts';
import { commandFor, commandLines, headLines, nodeLines, timesText, waitLine } from '../view/index.ts';
import { budgetText, countsOf, missingText, usageText, waitPhrase, workLines } from '../../operations/words/index.ts';

type Status = OutputOf<'status'>;

const UNTOLD = 'note: no worker answers for this run, so that its nodes are not shown';

const OPEN_SHOWN = 10;

export const statusView: View<'status'> = {
  instead: ({ web }) => (web === true ? 'page' : undefined),
  input: ({ nodes }, { output }) => ({
    nodes: nodes === true ? 'all' : output.format === 'text' ? 'standing' : 'none',
  }),
  json: (status, { flags }) => ({
    ...status,
    open: status.open.map((item) => ({ ...item, command: commandFor(item, flags) })),
  }),
  show: (status, { flags, output }) => status.mermaid ?? textOf(status, flags, output.lineColumns),
  // Reads the config for `--mermaid`: it names the store of the plan to draw.
  readsConfig: ({ mermaid }) => mermaid === true,
  notes: ({ counts, phase, missing, limits }, { typed }) => [
    ...(limits === undefined ? [] : [`note: ${limits}`]),
    ...(counts === undefined && phase === 'closed' ? [UNTOLD] : []),
    ...(typed['nodes'] === true && missing !== undefined ? [`note: ${missingText(missing)}`] : []),
  ],
  exit(status) {
    const { outcome, by, paused, waitingFor, mermaid } = status;
    if (mermaid !== undefined) return 'done';
    if (outcome !== undefined) return exitOf(outcome, by);
    return waitingFor > 0 || paused === true ? 'waiting' : 'done';
  },
};

function textOf(status: Status, flags: string, columns: number): string {
  const { workflowId, phase, outcome, digest = '', revision, counts, paused, open, nodes = [], attempts } = status;
  const next = nextCommand(status, flags);
  const state = `${phase}${outcome === undefined ? '' : `, ${outcome}`}${paused === true ? ', paused' : ''}`;
  const plan = digest === '' ? [] : [`plan ${digest}`, `revision ${revision}`];
  const spent = [status.usage && usageText(status.usage), status.budget && budgetText(status.budget)];
  const facts = [status.reason, status.waits, ...plan, ...workLines(status), ...spent].filter(
    (one) => one !== undefined,
  );
  const since = `started ${timesText(status.startedAt, status.endedAt)}`;
  const lines = [...headLines(workflowId, ': ', state, columns), ...wrap([since, ...facts].join('\n'), columns)];
  const progress = counts === undefined ? [] : countsOf(counts, attempts);
  if (progress.length > 0) lines.push('', ...wrap(progress.join(', '), columns));
  if (nodes.length > 0) lines.push('', ...nodeLines(nodes, { columns, tells: 'work' }));
  for (const item of open.slice(0, OPEN_SHOWN))
    lines.push('', ...wrap(`${waitPhrase(item)}\n${waitLine(item)}`, columns), ...commandLines('next', item, flags));
  if (open.length > OPEN_SHOWN) lines.push('', `and ${open.length - OPEN_SHOWN} more: ${asTyped(`inbox${flags}`)}`);
  if (next !== undefined) lines.push('', `next: ${next}`);
  return lines.join('\n');
}

function nextCommand(status: Status, flags: string): string | undefined {
  const { workflowId, phase, outcome, paused, waitingFor } = status;
  const id = quoteForShell(workflowId);
  if (paused === true) return asTyped(`resume ${id}${flags}`);
  if (waitingFor > 0) return undefined;
  return phase === 'running' || outcome === 'done' ? asTyped(`result ${id}${flags}`) : undefined;
}
