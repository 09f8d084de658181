/** The present work of a run, redrawn as time passes: duration, attempt, worker, deadline. */

import { cutColumns, table } from '../../plan/lines/index.ts';
import { MARKS, nodeLabel, type Tint } from '../../plan/outline/index.ts';
import { argumentWords } from '../../plan/rendering/index.ts';
import {
  countWaiting,
  type AttemptView,
  type NodeView,
  type OpenItem,
  type RunStatus,
  type RunView,
} from '../../protocol/index.ts';
import { counted, grouped, oneLine, tickText } from '../../plan/text/index.ts';
import { waitLine } from './open-items.ts';
import { attemptNow, countsOf, entryOfNode, isInTrouble, workLines } from '../../operations/words/index.ts';

export interface NowOptions {
  readonly width: number;
  /** Lines at most; the last counts the rest. */
  readonly most: number;
  readonly now: number;
  readonly paint?: Paint;
}

type Paint = (tint: Tint | 'bold', text: string) => string;

type Told = Pick<RunView, 'status' | 'nodes' | 'attempts' | 'open' | 'trouble' | 'compiled'>;

/** Lower ranks come first. */
type Rank = 0 | 1 | 2 | 3;

/** Only the first of thousands are rendered. */
interface Candidate {
  readonly rank: Rank;
  readonly row: () => Omit<Row, 'rank' | 'below'>;
  /** The arguments of an effect above read, on a line of their own. */
  readonly below?: string | undefined;
}

interface Row extends Pick<Candidate, 'rank' | 'below'> {
  readonly mark: keyof typeof MARKS;
  readonly name: string;
  /** Milliseconds since it began. */
  readonly ms?: number;
  readonly says: string;
  /** Worker and summary, which are cut first. */
  readonly more: string;
}

/** Columns. */
const NAME = 24;
/** Below this width the details go under the name and the clock. */
const NARROW = 60;
const GAP = '  ';

/** Empty before the first answer of the run and after its end. */
export function nowLines(view: Told, options: NowOptions): readonly string[] {
  const { width, most, now, paint = plain } = options;
  const { status } = view;
  if (status === undefined || status.phase === 'closed') return [];
  const { children: _, ...beside } = status;
  const above = [headOf(view, status, now), ...workLines(beside)].map((line) => cutColumns(oneLine(line), width));
  const rows = [...nodeRows(view, now), ...openRows(view, now)].toSorted((a, b) => a.rank - b.rank);
  const visible = firstOf(rows, Math.max(1, most - above.length), width).map(({ rank, row, below }) => ({
    rank,
    below,
    ...row(),
  }));
  const left = rows.length - visible.length;
  const cells = visible.map(({ mark, name, ms, says, more }) => {
    const clock = ms === undefined ? '' : tickText(ms);
    return [`${MARKS[mark].mark} ${name}`, clock, width < NARROW ? '' : saidOf({ says, more })];
  });
  const lines = visible.length === 0 ? [] : table(cells, { right: [1] }).split('\n');
  return [
    ...above.map((line, at) => (at === 0 ? paint('bold', line) : line)),
    ...lines.flatMap((line, at) => painted(cutColumns(line, width), visible[at]!, width, paint)),
    ...(left === 0 ? [] : [cutColumns(`… and ${grouped(left)} more under way`, width)]),
  ].slice(0, most);
}

/** The rows that fit, with a line that counts the others. */
function firstOf(rows: readonly Candidate[], height: number, width: number): readonly Candidate[] {
  let used = 0;
  const ends = rows.map(({ below }) => (used += (width < NARROW ? 2 : 1) + (below === undefined ? 0 : 1)));
  return used <= height ? rows : rows.filter((_, at) => ends[at]! < height);
}

/** Colours the mark and trouble; an effect's arguments go below. */
function painted(line: string, row: Row, width: number, paint: Paint): readonly string[] {
  const { mark, tint } = MARKS[row.mark];
  const under = [
    ...(width < NARROW ? [`${GAP}${saidOf(row)}`] : []),
    ...(row.below === undefined ? [] : [`${GAP}${GAP}${row.below}`]),
  ];
  const lines = [line.replace(mark, paint(tint, mark)), ...under.map((one) => cutColumns(one, width).trimEnd())];
  return row.rank === 0 ? lines.map((one) => one.replace(row.says, () => paint('yellow', row.says))) : lines;
}

function saidOf({ says, more }: Pick<Row, 'says' | 'more'>): string {
  return [says, more].filter((part) => part !== '').join(GAP);
}

/** `running, 12 s: 3 of 8 nodes done, 2 under way, 1 queued, 1 waits for a person` */
function headOf({ trouble, attempts }: Told, status: RunStatus, now: number): string {
  const { phase, paused, counts, startedAt } = status;
  const waits = countWaiting(status);
  const parts = [
    ...countsOf(counts, attempts),
    ...(waits === 0 ? [] : [`waits for a person: ${grouped(waits)}`]),
    ...(status.waits === undefined ? [] : [status.waits]),
  ];
  const state = paused === true ? 'paused' : phase.replace('-', ' ');
  const silent = trouble === undefined ? '' : `no ${trouble.code === 'no-server' ? 'server' : 'worker'} answers; `;
  const since = tickText(now - Date.parse(startedAt));
  return `${silent}${state}, ${since}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

function nodeRows({ status, nodes, attempts, trouble, compiled }: Told, now: number): Candidate[] {
  const byNode = new Map(attempts.map((one) => [one.id, one]));
  const agents = new Map(status?.children?.map(({ node, workflowId }) => [node, workflowId]));
  // Without the server the states may be out of date.
  const isKnown = trouble?.code !== 'no-server';
  const rows = nodes.flatMap((node): Candidate[] => {
    // A part is one row: most of its nodes only wait inside it.
    if (node.status !== 'running' || node.part !== undefined) return [];
    const attempt = byNode.get(node.id);
    const rank = attempt === undefined || !isKnown ? 2 : rankOf(attempt, now);
    const [below] = (node.effect ?? 'read') === 'read' ? [] : argumentWords(compiled?.nodesById[node.id]);
    return [{ rank, below, row: () => nodeRow(node, isKnown ? attempt : undefined, agents.get(node.id), now) }];
  });
  const parts = isKnown ? attempts.filter(({ part }) => part !== undefined) : [];
  return [...rows, ...parts.map((one) => ({ rank: rankOf(one, now), row: () => partRow(one, now) }))];
}

function partRow(attempt: AttemptView, now: number): ReturnType<Candidate['row']> {
  const { id, at, state, part = { done: 0, of: 0, atWork: [] } } = attempt;
  const { says, by = '' } = attemptNow(attempt, now);
  const far = part.of === 0 ? [] : [`${grouped(part.done)} of ${counted(part.of, 'node')}`];
  return {
    mark: state === 'waits for a worker' ? 'queued' : 'running',
    name: cutColumns(oneLine(id), NAME),
    ...(at !== undefined && { ms: now - Date.parse(at) }),
    says: [...far, says].filter((one) => one !== '').join(', '),
    more: [by, part.atWork.join(' ')].filter((one) => one !== '').join(GAP),
  };
}

function rankOf(attempt: AttemptView, now: number): Rank {
  if (isInTrouble(attempt, now)) return 0;
  return attempt.state === 'waits for a worker' ? 3 : 2;
}

function nodeRow(node: NodeView, attempt: AttemptView | undefined, agent: string | undefined, now: number) {
  const { ms } = entryOfNode(node, now);
  const { says = '', by = '' } = attempt === undefined ? {} : attemptNow(attempt, now);
  return {
    mark: attempt?.state === 'waits for a worker' ? ('queued' as const) : ('running' as const),
    name: cutColumns(nodeLabel(node), NAME),
    ...(ms !== undefined && { ms }),
    says: agent === undefined ? says : `by its agent, run ${oneLine(agent)}`,
    more: [by, oneLine(node.summary)].filter((part) => part !== '').join(GAP),
  };
}

function openRows({ status, nodes, open }: Told, now: number): Candidate[] {
  const agents = new Map(status?.children?.map(({ node, workflowId }) => [workflowId, node]));
  const row = (item: OpenItem) => {
    const agent = agents.get(item.workflowId);
    return {
      mark: 'waiting' as const,
      name: agent === undefined ? openName(item, nodes) : `agent of ${agent}`,
      ms: now - Date.parse(item.since),
      says: waitLine(item, now),
      more: oneLine(item.warning ?? item.asks ?? item.text),
    };
  };
  return open.map((item) => ({ rank: 1, row: () => row(item) }));
}

function openName({ id, kind, nodes: about, nodeCount }: OpenItem, nodes: readonly NodeView[]): string {
  if (kind === 'approval') return 'the plan';
  const node = nodeCount === 1 ? nodes.find((one) => one.id === about[0]) : undefined;
  return node === undefined ? cutColumns(oneLine(about[0] ?? id), NAME) : cutColumns(nodeLabel(node), NAME);
}

function plain(_tint: string, text: string): string {
  return text;
}
