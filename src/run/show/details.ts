/** The run as Markdown, for the Temporal Web UI: its box is small, so the news and the next command come first. */

import { NODE_STATUSES, nodeId, type NodeStatus, type Phase } from '../../contract/index.ts';
import { cutCharacters, oneLine, visible } from '../../text/index.ts';
import { waitsAt } from '../resources.ts';
import type { Run } from '../run.ts';
import { countOpen, firstOpen } from './open-items.ts';
import { nextCommand, nodeOf, phaseOf } from './views.ts';

const HEADLINES = {
  drafting: 'Compiling the plan',
  'awaiting-approval': 'Waiting for a decision on the plan',
  running: 'Running',
  closed: 'Closed',
} as const satisfies Record<Phase, string>;
/** Nodes named in each list; the rest is counted. */
const NAMED = 8;
/** Characters of what others wrote. */
const QUOTED = 200;

export function detailsOf(run: Run): string {
  const { dialogue, execution } = run;
  const { approval } = dialogue;
  const phase = phaseOf(run);
  const now = phase === 'drafting' && dialogue.loop !== undefined ? 'Deciding' : HEADLINES[phase];
  const headline = approval.outcome === undefined ? now : `Closed: ${approval.outcome}`;
  if (execution === undefined)
    return [`### ${headline}`, '', ...killedLines(run), ...loopLines(run), ...planningLines(run)].join('\n');
  const { slice, progress } = execution;
  const done = progress.counts.succeeded + progress.counts.reused;
  const paused = dialogue.paused ? ' (paused)' : '';
  const lines = [`### ${headline}${paused}, ${done} of ${slice.inputs.length} nodes done`, ''];
  lines.push(...killedLines(run), ...loopLines(run));
  const next = nextCommand(run);
  if (next !== undefined) lines.push(...waiting(run), `With the Temporal CLI: ${code(next)}`, '');
  lines.push(...countTable(progress.counts), '');
  lines.push(...list(run, 'Running', 'running'), ...atResources(run), ...failures(run));
  for (const one of approval.decisions.slice(-NAMED)) {
    const who = `${escape(one.by)}${one.role === undefined ? '' : ` as ${escape(one.role)}`}`;
    lines.push(
      `- ${who} said **${one.kind}** at ${one.at}${one.verified ? '' : ' (unverified)'}${comment(one.comment)}`,
    );
  }
  lines.push('', `**${escape(slice.goal)}**, plan \`${approval.digest}\`, revision ${approval.revision}`, '');
  lines.push('```', slice.text.replaceAll('```', "'''"), '```');
  return lines.join('\n');
}

/** Which round it is, what it does and who decided that. */
function loopLines({ dialogue: { loop, approval } }: Run): string[] {
  if (loop === undefined || loop.round === 0 || approval.phase === 'closed') return [];
  const { round, maxRounds, step } = loop;
  const by = step?.by === undefined ? '' : `, decided by ${escape(step.by)}`;
  const now = step === undefined ? 'deciding' : `${escape(cutCharacters(step.summary, QUOTED))}${by}`;
  return [`Round ${round} of at most ${maxRounds}: ${now}`, ''];
}

function killedLines({ dialogue: { killed } }: Run): string[] {
  return killed === undefined ? [] : [`- ${escape(killed.by)} **killed** it${comment(killed.comment)}`, ''];
}

/** How far a goal is on its way to a plan, and what the planner has to know. */
function planningLines(run: Run): string[] {
  const { planning } = run.dialogue;
  if (planning === undefined) return [];
  const { goal, stage, plans, calls, trouble } = planning;
  const lines = [
    `**${escape(cutCharacters(goal, QUOTED))}**`,
    '',
    `Planning: ${stage}, plan ${plans}, call ${calls}`,
    '',
  ];
  if (trouble !== undefined) lines.push(escape(cutCharacters(trouble.message, QUOTED)), '');
  const next = nextCommand(run);
  if (next !== undefined) lines.push(...waiting(run), `With the Temporal CLI: ${code(next)}`, '');
  return lines;
}

/** What to send from the Web UI: the name of the signal or update, and its input to paste. */
function waiting(run: Run): string[] {
  const lines = firstOpen(run, NAMED).flatMap(({ text, send, deadline }) => {
    const input = code(visible(JSON.stringify(send.input)));
    return [`- ${escape(cutCharacters(text, QUOTED))} Until ${deadline}, send **${send.name}**`, `  ${input}`];
  });
  const more = countOpen(run) - NAMED;
  if (more > 0) lines.push(`- and ${more} more`);
  return [...lines, ''];
}

function countTable(counts: Readonly<Record<NodeStatus, number>>): string[] {
  const shown = NODE_STATUSES.filter((status) => counts[status] > 0);
  return [row(shown), row(shown.map(() => '---')), row(shown.map((status) => String(counts[status])))];
}

function list(run: Run, title: string, status: NodeStatus): string[] {
  const total = run.execution?.progress.counts[status] ?? 0;
  if (total === 0) return [];
  const named: string[] = [];
  for (let node = 0; named.length < NAMED && node < (run.execution?.slice.inputs.length ?? 0); node++) {
    if (run.execution?.progress.status[node] === status)
      named.push(`${nodeId(node)} ${escape(run.execution?.slice.summaries[node] ?? '')}`);
  }
  return [`${title}: ${named.join('; ')}${total > NAMED ? ` and ${total - NAMED} more` : ''}`, ''];
}

/** Nodes that could start, were it not for another that writes to the same. */
function atResources(run: Run): string[] {
  const lines: string[] = [];
  for (const lane of run.execution?.lanes.values() ?? []) {
    for (const node of lane) {
      const waits = waitsAt(run, node);
      if (waits !== undefined) lines.push(`- ${nodeId(node)} ${escape(waits)}`);
      if (lines.length === NAMED) return [...lines, ''];
    }
  }
  return lines.length === 0 ? [] : [...lines, ''];
}

function failures(run: Run): string[] {
  const lines: string[] = [];
  for (const node of run.execution?.progress.failures.keys() ?? []) {
    if (lines.length === NAMED) break;
    const { id, status, summary, failure } = nodeOf(run, node);
    lines.push(`- ${id} ${escape(summary)}: **${status}**, ${escape(cutCharacters(failure?.message ?? '', QUOTED))}`);
  }
  return lines.length === 0 ? [] : [...lines, ''];
}

function comment(text: string | undefined): string {
  return text === undefined ? '' : `: ${escape(cutCharacters(text, QUOTED))}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** As it is, to be copied: a fence is longer than any run of backticks within (CommonMark: code spans). */
function code(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  if (runs.length === 0) return `\`${text}\``;
  const fence = '`'.repeat(Math.max(...runs) + 1);
  return `${fence} ${text} ${fence}`;
}

/** Text of others must not become markup. */
function escape(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_|<>[\]]/g, String.raw`\$&`);
}
