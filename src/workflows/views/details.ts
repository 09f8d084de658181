/** Renders a run as Markdown for the Temporal Web UI. Its box is small, so changes and the next command come first. */

import { numbered } from '../run/records.ts';
import {
  NODE_STATUSES,
  nodeId,
  schemaText,
  uncertainText,
  type NodeStatus,
  type Phase,
  type RunStatus,
} from '../../protocol/index.ts';
import { badgeOf, escapeMarkdown as escape, outlineMarkdown, nodeLabel, valuesText } from '../../plan/outline/index.ts';
import { clockText, cutCharacters, visible } from '../../plan/text/index.ts';
import { waitsAt } from '../run/resources.ts';

import { askingNodes, uncertainRemoved } from '../run/run.ts';
import type { Run } from '../run/in-memory.ts';
import { firstOpen, messageText } from './open-items.ts';
import { waitingIn } from './openings.ts';
import { boundsLine, effectsOf, outlineOfRun } from './run-outline.ts';
import { statusOf, nodeOf } from './views.ts';

const HEADLINES = {
  drafting: 'Compiling the plan',
  'awaiting-approval': 'Waiting for a decision on the plan',
  running: 'Running',
  closed: 'Closed',
} as const satisfies Record<Phase, string>;
/** Maximum number of nodes that a list names. It counts the others. */
const NAMED = 8;
/** Maximum number of plan lines in the Web UI. Nodes with an effect, running nodes and nodes in trouble come first. */
const ROWS = 40;
/** Maximum length of a quoted text that others wrote, in characters. */
const QUOTED = 200;

export function runDetails(run: Run): string {
  const { state, execution } = run;
  const { approval, planning } = state;
  const status = statusOf(run);
  const { phase, outcome, counts, waits, next } = status;
  const now = phase === 'drafting' && status.loop !== undefined ? 'Deciding' : HEADLINES[phase];
  const done = `, ${counts.succeeded + counts.reused} of ${counts.total} nodes done`;
  const paused = status.paused === true ? ' (paused)' : '';
  const headline = `${outcome === undefined ? now : `Closed: ${outcome}`}${paused}`;
  const lines = [`### ${headline}${execution === undefined ? '' : done}`, ''];
  lines.push(...effectLines(run));
  const ended = outcome === 'rejected' ? outcome : 'killed';
  if (status.by !== undefined) lines.push(`- ${escape(status.by)} **${ended}** it${comment(status.comment)}`, '');
  for (const one of outcome === undefined ? [] : uncertainRemoved(run).slice(0, NAMED))
    lines.push(`- **${escape(uncertainText(one))}**`, '');
  lines.push(...loopLines(run));
  if (execution === undefined && planning !== undefined)
    lines.push(`**${escape(cutCharacters(planning.goal, QUOTED))}**`, '');
  lines.push(...stageLines(status.planning));
  if (waits !== undefined) lines.push(`- **${escape(waits)}**`, '');
  const agents = (status.children ?? []).filter((child) => child.waits !== undefined).slice(0, NAMED);
  for (const { node, workflowId, waits: why = '' } of agents)
    lines.push(`- agent of ${node}, ${code(visible(workflowId))}, **${escape(why)}**`, '');
  if (next !== undefined) {
    const how = next.startsWith('temporal ') ? 'With the Temporal CLI' : 'Show all, then approve';
    lines.push(...openItemLines(run), `${how}: ${code(next)}`, '');
  }
  if (execution === undefined) return lines.join('\n');
  const { planShape } = execution;
  lines.push(...countTable(counts), '', ...atResources(run), ...failures(run));
  for (const one of approval.decisions.slice(-NAMED)) {
    const who = `${escape(one.by)}${one.role === undefined ? '' : ` as ${escape(one.role)}`}`;
    lines.push(
      `- ${who} said **${one.kind}** at ${clockText(one.at)}${one.verified ? '' : ' (unverified)'}${comment(one.comment)}`,
    );
  }
  lines.push('', `**${escape(planShape.goal)}**, plan \`${status.digest}\`, revision ${status.revision}`, '');
  lines.push(...outlineMarkdown(outlineOfRun(execution), { most: ROWS }));
  if (phase === 'awaiting-approval') lines.push('', 'In full:', '', ...inFull(planShape.text));
  return lines.join('\n');
}

/** The effects in an approval with all their values. They come first, since a person must judge them. */
function effectLines(run: Run): string[] {
  const { execution } = run;
  const nodes = execution === undefined || run.state.approval.rejected ? [] : askingNodes(run);
  if (execution === undefined || nodes.length === 0) return [];
  const { effects = [], leftOut } = effectsOf(run, nodes);
  const lines = effects.map((one) => {
    const values = one.values === undefined ? '' : `: **${escape(valuesText(one.values))}**`;
    const line = `- **${escape(badgeOf(one))}** ${escape(nodeLabel({ id: one.node, ...one }))} ${escape(one.title)}${values}`;
    const also = [...(one.untrusted ?? []), ...(one.shows ?? [])];
    const shows = also.length === 0 ? '' : `; **${escape(also.join(', '))}**`;
    return one.before === undefined ? `${line}${shows}` : `${line}${shows}; **${escape(one.before)}**`;
  });
  if (leftOut !== undefined) lines.push(`- **${escape(leftOut)}**`);
  lines.push(`- ${escape(boundsLine(run) ?? '')}`);
  for (const line of execution.planShape.context ?? []) lines.push(`- ${escape(line)}`);
  return lines.length === 0 ? [] : [...lines, ''];
}

function loopLines({ state: { loop, approval } }: Run): string[] {
  if (loop === undefined || loop.round === 0 || approval.phase === 'closed') return [];
  const { round, maxRounds, step } = loop;
  const by = step?.by === undefined ? '' : `, decided by ${escape(step.by)}`;
  const now = step === undefined ? 'deciding' : `${escape(cutCharacters(step.summary, QUOTED))}${by}`;
  return [`Round ${round} of at most ${maxRounds}: ${now}`, ''];
}

function stageLines(planning: RunStatus['planning']): string[] {
  if (planning === undefined) return [];
  const { stage, plan, call, why, trouble } = planning;
  const what = why === undefined ? 'Planning' : `Replanning since ${escape(cutCharacters(why, QUOTED))}`;
  const troubleLines = trouble === undefined ? [] : [escape(cutCharacters(trouble, QUOTED)), ''];
  return [`${what}: ${stage}, plan ${plan}, call ${call}`, '', ...troubleLines];
}

function openItemLines(run: Run): string[] {
  const shown = firstOpen(run, NAMED);
  const lines = shown.flatMap((item) => {
    const { workflowId, text, asks, schema, send, deadline, leftOut } = item;
    const to = workflowId === run.workflowId ? '' : ` to its agent ${code(visible(workflowId))}`;
    const claims = item.signed === true ? `, where TOKEN signs ${code(visible(messageText(item, false)))}` : '';
    const input = `${code(visible(messageText(item)))}${claims}`;
    const words = escape(cutCharacters(text, QUOTED)).replace(/[^.?!…]$/, '$&.');
    if (leftOut !== undefined && send.name === 'approve')
      return [`- ${words} Until ${clockText(deadline)}; ${escape(leftOut)}`];
    const sum = asks === undefined ? '' : ` **${escape(asks)}**.`;
    const fits = schema === undefined ? '' : ` ANSWER is ${escape(visible(schemaText(schema)))}.`;
    return [`- ${words}${sum}${fits} Until ${clockText(deadline)}, send **${send.name}**${to}`, `  ${input}`];
  });
  const more = waitingIn(run) - shown.length;
  if (more > 0) lines.push(`- and ${more} more`);
  return [...lines, ''];
}

/** A list item for each node to approve. The Web UI wraps list items, but cuts the lines of a code block. */
function inFull(text: string): readonly string[] {
  return text.split('\n').map((line) => `- ${escape(line.replace(/^[ │├└─…]+/, ''))}`);
}

function countTable(counts: Readonly<Record<NodeStatus, number>>): string[] {
  const shown = NODE_STATUSES.filter((status) => counts[status] > 0);
  return [row(shown), row(shown.map(() => '---')), row(shown.map((status) => String(counts[status])))];
}

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
  for (const [node] of numbered(run.execution?.progress.failures)) {
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

/** A text to copy unchanged. Its fence is longer than any run of backticks in the text (CommonMark: code spans). */
function code(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  if (runs.length === 0) return `\`${text}\``;
  const fence = '`'.repeat(Math.max(...runs) + 1);
  return `${fence} ${text} ${fence}`;
}
