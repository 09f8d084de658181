/** Rounds of a loop as lines: decider, stages, the end of the step before. */

import { briefJson, oneLine, visible } from '../../plan/text/index.ts';
import { amountOf, type ResultHandle, type RoundRecord, type StageVisit } from '../../protocol/index.ts';

const MAX_DECISION = 300;

/** A round with its step's results by context key. */
export interface RoundView extends RoundRecord {
  readonly results?: Readonly<Record<string, ResultHandle>>;
}

/** Lines of a round are indented by two. */
export function roundLines(rounds: readonly RoundView[]): string {
  return rounds.flatMap(linesOf).join('\n');
}

function linesOf({ round, line, origin, decider, happened, visits = [], results = {} }: RoundView): readonly string[] {
  const by = origin === undefined ? '' : `, ${origin}${decider === undefined ? '' : ` ${visible(decider)}`}`;
  const why = happened?.message === undefined ? '' : `, ${oneLine(happened.message)}`;
  const before = happened === undefined ? [] : [`  step_${happened.round} ended: ${happened.status}${why}`];
  const lines = visits.map((visit) => ({ stage: visit.stage, line: visitLine(visit) }));
  const quiet = lines.flatMap(({ stage, line: one }) => (one === undefined ? [visible(stage)] : []));
  return [
    `round ${round}${by}: ${oneLine(line)}`,
    ...before,
    ...lines.flatMap(({ line: one }) => (one === undefined ? [] : [`  ${one}`])),
    ...(quiet.length === 0 ? [] : [`  nothing to do: ${quiet.join(', ')}`]),
    ...Object.entries(results).map(([key, handle]) => `  ${visible(key)} gave ${amountOf(handle)}`),
  ];
}

/** Undefined if the stage did nothing. */
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
      return `${visible(stage)} rewrote ${decisionText(before)} to ${decisionText(after)}${beside}`;
    case 'decided':
      return `${visible(stage)} decided ${decisionText(after)}${beside}`;
  }
  // A later version may have recorded another word.
  return `${visible(stage)} ${visible(did satisfies never)}`;
}

function decisionText(decision: unknown): string {
  return briefJson(decision, MAX_DECISION);
}
