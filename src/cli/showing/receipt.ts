/** What a run came to, in one line: how long it took, what it gave, what had to be tried again, who let it run. */

import { amountOf, type ResultHandle } from '../../wire/contract/index.ts';
import { nameOf } from '../../language/outline/index.ts';
import type { Receipt } from '../../operations/index.ts';
import { counted, durationText, oneLine } from '../../language/text/index.ts';

/** How a run ended, and what is known beside that. */
interface EndedRun {
  readonly outcome: string;
  readonly result?: ResultHandle | undefined;
  readonly receipt: Receipt;
}

/** Nodes, and people, that the line names; the rest is counted. */
const NAMED = 3;

/** `done in 10.6 s: 2,149 records; 1 retry (node_2, worker lost); approved by reviewer` */
export function receiptText({ outcome, result, receipt: { ms, retried, approvedBy } }: EndedRun): string {
  const head = `${outcome}${ms === undefined ? '' : ` in ${durationText(ms)}`}`;
  const retries = retried.reduce((sum, { attempt }) => sum + attempt - 1, 0);
  const why = retried
    .slice(0, NAMED)
    .map((one) => [nameOf(one), ...(one.before === undefined ? [] : [one.before])].join(', '));
  const more = retried.length > NAMED ? ` and ${retried.length - NAMED} more` : '';
  return [
    `${head}${result === undefined ? '' : `: ${givenOf(result)}`}`,
    ...(retries === 0 ? [] : [`${retries} ${retries === 1 ? 'retry' : 'retries'} (${oneLine(why.join('; '))}${more})`]),
    ...(approvedBy.length === 0 ? [] : [`approved by ${peopleOf(approvedBy)}`]),
  ].join('; ');
}

function peopleOf(names: readonly string[]): string {
  const named = names.slice(0, NAMED).map((name) => oneLine(name));
  return `${named.join(', ')}${names.length > NAMED ? ` and ${counted(names.length - NAMED, 'other')}` : ''}`;
}

/** How long a text is says nothing of what is in it. */
function givenOf(result: ResultHandle): string {
  return result.kind === 'text' ? 'a text' : amountOf(result);
}
