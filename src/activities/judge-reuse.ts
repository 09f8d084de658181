/** Decides which nodes of a plan reuse results of a closed run, and describes the decision for people. */

import type { Effect } from '../plan/index.ts';
import { cutBytes, cutCharacters, oneLine } from '../plan/text/index.ts';
import { nodeId, type Reuse, type ReuseRequest } from '../protocol/index.ts';
import type { Finished } from './run-records.ts';

const NAMED = 10;
const TEXT_BYTES = 2000;
/** Limits for the notes of reused results: nodes with notes, notes per node, characters per note. */
const NOTED = { nodes: 100, each: 3, characters: 300 };

export interface ReuseFacts {
  readonly effect: Effect;
  readonly inputs: readonly number[];
  readonly finished?: Finished | undefined;
  readonly changed?: string | undefined;
  readonly reason?: string | undefined;
  readonly began?: string | undefined;
}

/** Reuses an effect if it is done, and a read if its inputs and its data are unchanged. */
export function judgeReuse(sought: readonly ReuseFacts[], { of, fresh }: ReuseRequest): Reuse {
  const done: Record<number, Reuse['done'][number]> = {};
  const begun: Record<number, string> = {};
  const left: string[] = [];
  const older: string[] = [];
  let noted = 0;
  sought.forEach(({ effect, inputs, finished, changed, reason, began }, node) => {
    const isRead = effect === 'read';
    const isAgain = isRead && fresh === true;
    const other = finished && otherInputs(inputs, finished, done);
    const why = finished === undefined ? reason : isRead ? (changed ?? other) : undefined;
    if (finished !== undefined && why === undefined && !isAgain) {
      const stays = [changed, other && `it was done before and is not done again, though ${other}`];
      const reasons = isRead ? [] : stays.filter((one) => one !== undefined);
      const notes = [...reasons, ...(finished.notes ?? [])].slice(0, NOTED.each);
      const isNoted = notes.length > 0 && (noted += 1) <= NOTED.nodes;
      const texts = isNoted && { notes: notes.map((one) => cutCharacters(one, NOTED.characters)) };
      done[node] = { ...finished.handle, at: finished.at, ...texts };
      if (reasons.length > 0) older.push(`${nodeId(node)}: ${reasons.join('; ')}`);
    } else if (began !== undefined) {
      begun[node] =
        `its effect may have begun in run ${oneLine(began)}: ${reason ?? 'it has no result there'}; find out whether it happened, then resolve it, or have it done again with retry`;
    } else if (why !== undefined && !isAgain) {
      left.push(`${nodeId(node)}: ${why}`);
    }
  });
  const [count, open] = [Object.keys(done).length, Object.keys(begun).map((node) => nodeId(Number(node)))];
  const text = [
    `${count} of ${sought.length} nodes are reused from run ${oneLine(of)}`,
    ...(fresh === true ? ['what only reads is carried out again'] : []),
    ...(open.length === 0 ? [] : [`to be settled by a person first: ${listSome(open, ', ')}`]),
    ...(left.length === 0 ? [] : [`not reused: ${listSome(left, '; ')}`]),
    ...(older.length === 0 ? [] : [`reused as they were: ${listSome(older, '; ')}`]),
  ].join('; ');
  return { of, done, begun, text: cutBytes(text, TEXT_BYTES) };
}

function otherInputs(inputs: readonly number[], { inputs: taken }: Finished, done: Reuse['done']): string | undefined {
  const fresh = inputs.find((input) => done[input] === undefined);
  if (fresh !== undefined) return `it takes ${nodeId(fresh)}, which is not reused`;
  const isSame = taken === undefined || inputs.every((input, at) => done[input]?.ref === taken[at]);
  return isSame ? undefined : 'it was given other results';
}

function listSome(texts: readonly string[], between: string): string {
  const more = texts.length - NAMED;
  return `${texts.slice(0, NAMED).join(between)}${more > 0 ? `${between}and ${more} more` : ''}`;
}
