/**
 * Draws the JSON lines of the bench beside other engines, for docs/performance.md. Lines of several measurements may
 * follow each other: of the same case and engine the last one counts.
 *
 *   npm run bench -- picture [lines] [svg]    bench/results/peers.jsonl and docs/performance.svg without
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { readLines } from './report/lines.ts';
import { drawPicture } from './report/picture.ts';

const [lines = 'bench/results/peers.jsonl', svg = 'docs/performance.svg'] = process.argv.slice(2);
writeFileSync(svg, drawPicture(readLines(readFileSync(lines, 'utf8'))));
process.stdout.write(`${svg} shows ${lines}\n`);
