/** One beyond each bound of files of records and of what is noted of sets: docs/bounds.md says what happens then. */

import { describe, expect, test } from 'vitest';
import { createSet, observeSets } from '../../src/plan/algebra/index.ts';
import { createRecordRoom } from '../../src/store/record-room.ts';
import { readGff3 } from '../../src/store/tracks/read-gff3.ts';
import { idListSteps } from '../../src/store/read-id-list.ts';
import { textBytes } from '../../src/store/text-lines.ts';

test('a line of more than 16 MiB is refused, with its number', () => {
  expect(textBytes(Buffer.alloc(16_777_216, 'a')).ok).toBe(true);
  expect(textBytes(Buffer.concat([Buffer.from('b\n'), Buffer.alloc(16_777_217, 'a')]))).toMatchObject({
    ok: false,
    issues: [{ line: 2, message: expect.stringContaining('more than 16777216 bytes') as string }],
  });
});

test('a file has 6,000,000 records and parts of them', () => {
  const room = createRecordRoom();
  for (let at = 0; at < 6_000_000; at++) room.takePart();
  expect(room.problem ?? '').not.toContain('6000000');
  room.takePart();
  expect(room.problem).toContain('more than 6000000 records');
});

test('of 11 types of features a note names 10', () => {
  const lines = Array.from({ length: 11 }, (_, at) => `chr1\t.\ttype${at}\t1\t9\t.\t+\t.\tID=g${at}`);
  const read = readGff3(lines.join('\n'), { id: 'location', type: 'none' });
  const note = read.ok ? (read.notes.at(-1) ?? '') : '';
  expect(note.match(/type\d+ \(1\)/g)).toHaveLength(10);
  expect(note).toContain('and 1 more');
});

describe('a note on two sets', () => {
  const names = (count: number, of: (at: number) => string) =>
    createSet(Array.from({ length: count }, (_, at) => ({ id: of(at) })));

  test('shows 3 names of each side', () => {
    const notes = observeSets(
      'INTERSECT',
      names(4, (at) => `a${at}`),
      names(4, (at) => `b${at}`),
    ).join('\n');
    expect(notes).toContain('and 1 more');
    expect(notes.match(/"a\d"/g)).toHaveLength(3);
  });

  test('guesses by 10,000 names of each side', () => {
    const padded = (at: number) => String(at).padStart(6, '0');
    const told = (count: number) =>
      observeSets(
        'INTERSECT',
        names(count, (at) => (at === count - 1 ? 'z-last' : `a${padded(at)}`)),
        names(1, () => 'Z-LAST'),
      ).join('\n');
    expect(told(10_000)).toContain('may be');
    expect(told(10_001)).not.toContain('may be');
  });
});

test('others have a turn after 20,000 lines', () => {
  const turns = (lines: number) => {
    const steps = idListSteps(Array.from({ length: lines }, (_, at) => `g${at}`).join('\n'));
    let count = 0;
    while (steps.next().done !== true) count += 1;
    return count;
  };
  // In two passes, one of which sorts.
  expect(turns(40_001) - turns(19_999)).toBe(4);
});
