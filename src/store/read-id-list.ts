import { atOnce, createSetBuilder } from '../plan/algebra/index.ts';
import type { Steps } from '../plan/algebra/index.ts';
import { LINES_IN_STEP } from './in-lines.ts';
import { createIssueList, repeatNote, unreadable, type ReadSet, createRecordRoom } from './read-set.ts';
import { textBytes, textLines } from './text-lines.ts';

/**
 * Reads ids, one per line. Ignores space around an id, blank lines, and lines that start with `#`. A repeated id is one
 * record. A line with a tab is an issue.
 * @example readIdList('gene-2\ngene-1\n'); // a set of gene-1 and gene-2
 */
export function readIdList(content: string | Uint8Array, skip = false): ReadSet {
  return atOnce(idListSteps(content, skip));
}

export function* idListSteps(content: string | Uint8Array, skip = false): Steps<ReadSet> {
  const read = textBytes(content);
  if (!read.ok) return read;
  const builder = createSetBuilder();
  const issues = createIssueList(skip);
  const room = createRecordRoom();
  let repeats = 0;
  let comments = 0;
  for (const { line, text } of textLines(read)) {
    if (line % LINES_IN_STEP === 0) yield;
    if (room.problem !== undefined) break;
    const id = text.trim();
    if (id === '') continue;
    if (id.startsWith('#')) {
      comments += 1;
      continue;
    }
    if (id.includes('\t')) {
      issues.add(
        line,
        'This line has columns, and a list of ids has one id a line. Keep the id column alone, or give a BED file.',
      );
      continue;
    }
    const added = builder.add({ id });
    if (!added.ok) issues.add(line, added.message);
    else if (added.repeated) repeats += 1;
    else room.takeRecord(id);
  }
  if (room.problem !== undefined) return unreadable(room.problem);
  const refusal = issues.refusal(builder.count);
  if (refusal !== undefined) return refusal;
  return {
    ok: true,
    set: yield* builder.buildSteps(),
    notes: [...repeatNote(repeats, 'id'), ...commentNote(comments), ...issues.notes()],
  };
}

function commentNote(comments: number): readonly string[] {
  return comments === 0 ? [] : [`${comments} line${comments === 1 ? ' begins' : 's begin'} with # and gave no record.`];
}
