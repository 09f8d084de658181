/** Entries of a trace and rounds of a loop, a line each. */

import { table } from '../../language/lines/index.ts';
import { clockText, cutCharacters, oneLine, visible } from '../../language/text/index.ts';
import type { RoundRecord, StageVisit, TraceEntry } from '../../wire/contract/index.ts';
import type { Output } from '../terminal/index.ts';

/** An entry of a trace, or what is told beside them, which has no number. */
export type Happened = Pick<TraceEntry, 'at' | 'what' | 'text'> & Partial<Pick<TraceEntry, 'seq'>>;

/**
 * The date stands where it is another one than that of the line before; what an entry says is wrapped below itself. With `isNumbered` its
 * number comes first, from which a trace can be read on.
 */
export function entryTable(
  entries: readonly Happened[],
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

const MAX_DECISION = 300;

/** Two spaces before what belongs to a round. */
export function roundLines(rounds: readonly RoundRecord[]): string {
  return rounds.flatMap(linesOf).join('\n');
}

function linesOf({ round, line, origin, decider, happened, visits = [] }: RoundRecord): readonly string[] {
  const by = origin === undefined ? '' : `, ${origin}${decider === undefined ? '' : ` ${visible(decider)}`}`;
  const before =
    happened === undefined
      ? []
      : [
          `  step_${happened.round} ended: ${happened.status}${happened.message === undefined ? '' : `, ${oneLine(happened.message)}`}`,
        ];
  const told = visits.map((visit) => ({ stage: visit.stage, line: visitLine(visit) }));
  const quiet = told.flatMap(({ stage, line: one }) => (one === undefined ? [visible(stage)] : []));
  return [
    `round ${round}${by}: ${oneLine(line)}`,
    ...before,
    ...told.flatMap(({ line: one }) => (one === undefined ? [] : [`  ${one}`])),
    ...(quiet.length === 0 ? [] : [`  nothing to do: ${quiet.join(', ')}`]),
  ];
}

/** Undefined where there was nothing to do. */
function visitLine({ stage, did, wrote = [], before, after }: StageVisit): string | undefined {
  const fields = wrote.map((field) => visible(field)).join(', ');
  const beside = fields === '' ? '' : `; wrote ${fields}`;
  switch (did) {
    case 'passed':
    case 'spared':
      return undefined;
    case 'wrote':
      return `${visible(stage)} wrote ${fields === '' ? 'nothing' : fields}`;
    case 'rewrote':
      return `${visible(stage)} rewrote ${said(before)} to ${said(after)}${beside}`;
    case 'decided':
      return `${visible(stage)} decided ${said(after)}${beside}`;
  }
  // A record of a later version may have a word that is not known here.
  return `${visible(stage)} ${visible(did satisfies never)}`;
}

function said(decision: unknown): string {
  return cutCharacters(visible(JSON.stringify(decision) ?? ''), MAX_DECISION);
}

/** The same as a Markdown table. */
export function roundTable(rounds: readonly RoundRecord[]): string {
  const rows = rounds.map(({ round, origin = '', decider = '', line, visits = [] }) => {
    const fired = visits.filter(({ did }) => did === 'decided' || did === 'rewrote').map(({ stage }) => stage);
    return `| ${round} | ${cell(`${origin} ${decider}`.trim())} | ${cell(fired.join(', '))} | ${cell(line)} |`;
  });
  return ['| round | who decided | stages that fired | dispatched |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function cell(text: string): string {
  return oneLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|');
}
