/** The picture of the bench beside other engines: well-formed, complete, and no label on another or beyond the box. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readLines } from '../../bench/report/lines.ts';
import { drawPicture } from '../../bench/report/picture.ts';
import { readSource, ROOT } from '../support/source-files.ts';

const RECORDED = readLines(readSource('bench/results/peers.jsonl'));

test('the picture of the page is drawn from the recorded lines; npm run bench -- picture draws it anew', () => {
  expect(readFileSync(`${ROOT}/docs/performance.svg`, 'utf8')).toBe(drawPicture(RECORDED));
});
