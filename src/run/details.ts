/** The run as Markdown, for the Temporal Web UI: its box is small, so the news and the next command come first. */

import { NODE_STATUSES, type NodeStatus } from './progress.ts';
import type { Run } from './run.ts';
import { nodeId } from './slice.ts';
import { nextCommand, nodeOf } from './views.ts';

const HEADLINES = {
  drafting: 'Compiling the plan',
  'awaiting-approval': 'Waiting for a decision on the plan',
  running: 'Running',
  closed: 'Closed',
} as const;
/** Nodes named in each list; the rest is counted. */
const NAMED = 8;

export function detailsOf(run: Run): string {
  const { approval, slice, progress } = run;
  const headline = approval.outcome === undefined ? HEADLINES[approval.phase] : `Closed: ${approval.outcome}`;
  if (slice === undefined || progress === undefined) return `### ${headline}\n`;
  const done = progress.counts.succeeded + progress.counts.reused;
  const lines = [`### ${headline}, ${done} of ${slice.inputs.length} nodes done`, ''];
  const next = nextCommand(run);
  if (next !== undefined) lines.push('Approve exactly this plan with', '', `\`${next}\``, '');
  lines.push(...countTable(progress.counts), '');
  lines.push(...list(run, 'Running', 'running'), ...failures(run));
  for (const one of approval.decisions) {
    lines.push(`- ${escape(one.by)} said **${one.kind}** at ${one.at} (unverified)${comment(one.comment)}`);
  }
  lines.push('', `**${escape(slice.goal)}**, plan \`${approval.digest}\`, revision ${approval.revision}`, '');
  lines.push('```', slice.text.replaceAll('```', "'''"), '```');
  return lines.join('\n');
}

function countTable(counts: Readonly<Record<NodeStatus, number>>): string[] {
  const shown = NODE_STATUSES.filter((status) => counts[status] > 0);
  return [row(shown), row(shown.map(() => '---')), row(shown.map((status) => String(counts[status])))];
}

function list(run: Run, title: string, status: NodeStatus): string[] {
  const total = run.progress?.counts[status] ?? 0;
  if (total === 0) return [];
  const named: string[] = [];
  for (let node = 0; named.length < NAMED && node < (run.slice?.inputs.length ?? 0); node++) {
    if (run.progress?.status[node] === status)
      named.push(`${nodeId(node)} ${escape(run.slice?.summaries[node] ?? '')}`);
  }
  return [`${title}: ${named.join('; ')}${total > NAMED ? ` and ${total - NAMED} more` : ''}`, ''];
}

function failures(run: Run): string[] {
  const lines: string[] = [];
  for (const node of run.progress?.failures.keys() ?? []) {
    if (lines.length === NAMED) break;
    const { id, status, summary, failure } = nodeOf(run, node);
    lines.push(`- ${id} ${escape(summary)}: **${status}**, ${escape(failure?.message.slice(0, 200) ?? '')}`);
  }
  return lines.length === 0 ? [] : [...lines, ''];
}

function comment(text: string | undefined): string {
  return text === undefined ? '' : `: ${escape(text.slice(0, 200))}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Text of others must not become markup. */
function escape(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`*_|<>[\]]/g, String.raw`\$&`);
}
