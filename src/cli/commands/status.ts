/** The command `planwright status`: the state of a run and the next command. */

import { wrap } from '../../plan/lines/index.ts';
import { quoteForShell, counted } from '../../plan/text/index.ts';
import { exitOf, type OutputOf, type AgentRun, type Reasons, type StepReasons } from '../../operations/index.ts';
import { asTyped } from '../typed-command.ts';
import type { View } from '../row-command.ts';
import {
  commandFor,
  commandLines,
  headLines,
  nodeLines,
  timesText,
  waitLine,
  entryTable,
  roundTable,
  type TraceLine,
} from '../view/index.ts';
import {
  budgetText,
  countsOf,
  missingText,
  usageText,
  waitPhrase,
  workLines,
  attemptHistoryText,
  roundLines,
  inputLine,
  reasonLines,
} from '../../operations/words/index.ts';
import type { TraceEntry } from '../../protocol/index.ts';

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
  // For `--mermaid`, the config names the store of the plan.
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
  const shownPhase = phase === 'running' && status.waitingFor > 0 ? 'waits for a person' : phase;
  const state = `${shownPhase}${outcome === undefined ? '' : `, ${outcome}`}${paused === true ? ', paused' : ''}`;
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

export const traceView: View<'trace'> = {
  readsConfig: ({ rounds }) => rounds === true,
  // With jsonl, prints the audit: what the run itself recorded, without attempts, which only the server knows.
  input: ({ output }) => ({ nodes: output !== 'jsonl' }),
  json: ({ loop, ...trace }) => loop ?? trace,
  show(trace, { typed, output: { lineColumns: columns } }) {
    if (trace.loop === undefined) return entryTable(inOrder(trace), { columns }, true);
    const { rounds } = trace.loop;
    return typed['format'] === 'markdown' ? roundTable(rounds) : roundLines(rounds);
  },
  notes: ({ missing, dropped }) => [
    ...(missing === undefined ? [] : [`note: ${missingText(missing)}`]),
    ...(dropped === 0
      ? []
      : [`note: ${dropped} more entries about nodes, questions and refused messages were not kept by the run`]),
  ],
};

/** Adds a line for each node, when its last attempt started. Omits attempts before the first entry. */
export function inOrder({ entries, nodes }: Pick<OutputOf<'trace'>, 'entries' | 'nodes'>): readonly TraceLine[] {
  const [first] = entries;
  if (first === undefined) return [];
  const lines = entries.map((entry): TraceLine => ({ ...entry, text: `${entry.text}${mark(entry.said)}` }));
  const attempts = nodes.flatMap((node): TraceLine[] => {
    const { startedAt: at } = node;
    return at === undefined || at < first.at ? [] : [{ at, what: 'node', text: attemptHistoryText(node) }];
  });
  // The run's own entries keep their order, even if a worker's clock differs.
  const later = attempts.toSorted((a, b) => a.at.localeCompare(b.at));
  const merged = lines.flatMap((entry) => {
    const place = later.findIndex(({ at }) => at >= entry.at);
    return [...later.splice(0, place === -1 ? later.length : place), entry];
  });
  return [...merged, ...later];
}

function mark(message: TraceEntry['said']): string {
  if (message === undefined) return '';
  const { by, role } = message;
  const told = [
    ...(by === undefined ? [] : [`${by}${role === undefined ? '' : ` as ${role}`}`]),
    ...('question' in message && message.question !== undefined ? [message.question] : []),
    ...('verified' in message && !message.verified ? ['unverified'] : []),
  ];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}

const INDENT = '  ';

export const whyView: View<'why'> = {
  show(found, { flags, output }) {
    const columns = output.lineColumns;
    const { round, node } = found;
    const step = round === undefined ? [] : [stepText(found as StepReasons, columns)];
    const entries = round === undefined ? found.entries : [];
    const ofNode =
      node === undefined ? [] : [reasonsText({ ...(found as Reasons), entries: entries ?? [] }, flags, columns)];
    return [...step, ...ofNode].join('\n');
  },
};

function stepText({ round, ended, entries }: StepReasons, columns: number): string {
  const end =
    ended === undefined ? [] : [`ended: ${ended.status}${ended.message === undefined ? '' : `, ${ended.message}`}`];
  const happened = entries.length === 0 ? [] : ['', entryTable(entries, { columns })];
  return [roundLines([round]), ...end, ...happened].join('\n');
}

function reasonsText(reasons: Reasons, flags: string, columns: number): string {
  const { node, because, inputs, agentRun, open, entries } = reasons;
  const more = (node.inputCount ?? 0) - inputs.length;
  const facts = [
    ...reasonLines(reasons),
    ...inputs.map((input) => `takes ${inputLine(input)}`),
    ...(more > 0 ? [`and takes ${counted(more, 'more result')}`] : []),
  ].flatMap((line) => wrap(line, columns - INDENT.length));
  // Commands are never wrapped.
  const commands = [
    ...(agentRun === undefined ? [] : agentLines(agentRun, flags)),
    ...open.flatMap((item) => [waitLine(item), ...commandLines('next', item, flags)]),
  ];
  return [
    ...nodeLines([node, ...(because === undefined ? [] : [because])], { columns }),
    ...[...facts, ...commands].map((line) => INDENT + line),
    ...(entries.length > 0 ? ['', entryTable(entries, { columns })] : []),
  ].join('\n');
}

function agentLines({ workflowId, phase, outcome, waits, usage, ...status }: AgentRun, flags: string): string[] {
  return [
    `its agent's run is ${workflowId}: ${outcome ?? phase}`,
    ...(waits === undefined ? [] : [`it ${waits}`]),
    ...workLines(status),
    ...(usage === undefined ? [] : [usageText(usage)]),
    `look at it with: ${asTyped(`trace ${quoteForShell(workflowId)}${flags}`)}`,
  ];
}
