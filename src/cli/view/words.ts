import { columnsOf, wrap, table, rowLines } from '../../plan/lines/index.ts';
import type { CompiledPlan, PlanIssue } from '../../plan/index.ts';
import { clockText, durationText, oneLine, visible } from '../../plan/text/index.ts';
import type { Output } from '../terminal/index.ts';
import { escapeText } from '../../plan/rendering/index.ts';
import { type RoundRecord, type TraceEntry, given, type SeenNode } from '../../protocol/index.ts';
import { byText, entryOfNode, nodeRemark, timeLines } from '../../operations/words/index.ts';

const INDENT = '  ';
const BELOW = '   ';

/** An id and a state. A long id gets its own line, uncut, so that people can copy it. */
export function headLines(id: string, gap: string, state: string, columns: number): readonly string[] {
  const head = visible(id + gap + state);
  if (columnsOf(head) <= columns) return [head];
  return [visible(id.trimEnd()), ...wrap(state, columns - INDENT.length).map((line) => INDENT + line)];
}

/** Text such as `14:03:07Z, took 10.6 s`; for an open run `14:03:07Z, 10.6 s ago`. */
export function timesText(startedAt: string, endedAt: string | undefined): string {
  const now = new Date().toISOString();
  const took = durationText(Date.parse(endedAt ?? now) - Date.parse(startedAt));
  return `${clockText(startedAt, now)}, ${endedAt === undefined ? `${took} ago` : `took ${took}`}`;
}

/** Prints errors and warnings on stderr, in document order, and counts notes by kind. With JSON prints nothing. */
export function noteIssues(issues: readonly PlanIssue[], output: Output): void {
  if (output.format === 'json' || output.format === 'jsonl') return;
  const printed = new Set<string>();
  const inOrder = issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  for (const { code, severity, path, message, line, column } of inOrder) {
    const style = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'dim';
    const place = line === undefined ? path : `line ${line}, column ${column ?? 1}${path === '$' ? '' : `, ${path}`}`;
    const same = severity === 'error' || severity === 'warning' ? 1 : issues.filter((one) => one.code === code).length;
    if (same > 1 && printed.has(code)) continue;
    printed.add(code);
    const more = same === 1 ? '' : ` (and ${same - 1} more such note${same === 2 ? '' : 's'}; -o json has them all)`;
    output.note(`${output.paint(style, `${severity}[${code}]`)} ${place}: ${message}${more}`);
  }
}

export type TraceLine = Pick<TraceEntry, 'at' | 'what' | 'text'> & Partial<Pick<TraceEntry, 'seq'>>;

/**
 * The entries as a table: dates appear when they change, long entries wrap. `isNumbered` adds numbers for `--after`.
 */
export function entryTable(
  entries: readonly TraceLine[],
  { columns }: Pick<Output, 'columns'>,
  isNumbered = false,
): string {
  let before: string | undefined;
  const rows = entries.map(({ seq, at, what, text }) => {
    const time = clockText(at, before);
    before = at;
    return [...(isNumbered ? [`${seq ?? ''}`] : []), time, what, text];
  });
  return table(rows, { columns, right: isNumbered ? [0, 1] : [0] });
}

export function roundTable(rounds: readonly RoundRecord[]): string {
  const rows = rounds.map(({ round, origin = '', decider = '', line, visits = [] }) => {
    const fired = visits.filter(({ did }) => did === 'decided' || did === 'rewrote').map(({ stage }) => stage);
    return `| ${round} | ${escapeText(`${origin} ${decider}`.trim())} | ${escapeText(fired.join(', '))} | ${escapeText(line)} |`;
  });
  return ['| round | who decided | stages that fired | dispatched |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

interface Look extends Pick<Output, 'columns'>, Partial<Pick<Output, 'paint'>> {
  /** What a node's line adds. `worker`: the worker. `work`: the worker, the times and the attempts. */
  readonly tells?: 'work' | 'worker';
  readonly prefix?: string;
  /** Cuts the title and the result to one line. Default: they wrap. */
  readonly single?: boolean;
  /** The plan, for printing set operators behind node ids. */
  readonly plan?: Pick<CompiledPlan, 'nodesById'> | undefined;
}

/** A line for each node, with its failure below. With `single`, only the mark shows success. */
export function nodeLines(
  nodes: readonly SeenNode[],
  { columns, paint, tells, prefix = '', single = false, plan }: Look,
): string[] {
  return nodes.flatMap((node) => {
    const words = [nodeRemark(node), tells === 'work' ? timeLines(node).join(', ') : '']
      .filter((part) => part !== '')
      .join('; ');
    const by = tells === 'worker' ? byText(node) : undefined;
    const compiled = plan?.nodesById[node.id];
    const operator = compiled?.kind === 'combine' ? compiled.operator : undefined;
    const entry = { ...entryOfNode(node), ...given({ words, by, operator }) };
    const named = !single || node.status !== 'succeeded';
    const look = { width: columns, single, named, ...given({ paint }) };
    const below = single && words !== '' ? wrap(oneLine(words), columns - BELOW.length) : [];
    return [...rowLines({ kind: 'node', depth: 0, prefix, entry }, look), ...below.map((line) => BELOW + line)];
  });
}
