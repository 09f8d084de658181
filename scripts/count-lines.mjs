/**
 * Prints a Markdown table: files, lines of code, and the median and longest file of each floor of `src/`. A line of code is neither blank
 * nor wholly a comment. `node scripts/count-lines.mjs [FOLDER]`; without a folder: src.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [folder = 'src'] = process.argv.slice(2);

const counted = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.[mc]?[jt]s$/.test(path))
  .map((path) => {
    const text = readFileSync(join(root, folder, path), 'utf8');
    const floor = path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
    return { floor, lines: text.split('\n').length - 1, code: linesOfCode(text) };
  });
const floors = [...new Set(counted.map(({ floor }) => floor))].toSorted();

console.log(`| ${folder} | files | lines of code | median file | longest |\n| --- | ---: | ---: | ---: | ---: |`);
for (const name of floors) {
  row(
    name,
    counted.filter(({ floor }) => floor === name),
  );
}
row('all', counted);

/** @param {string} name @param {typeof counted} files */
function row(name, files) {
  const lengths = files.map(({ lines }) => lines).toSorted((a, b) => a - b);
  const code = files.reduce((sum, one) => sum + one.code, 0);
  console.log(`| ${name} | ${files.length} | ${code} | ${lengths[lengths.length >> 1]} | ${lengths.at(-1)} |`);
}

/** @param {string} text */
function linesOfCode(text) {
  let isComment = false;
  let code = 0;
  for (const line of text.split('\n')) {
    const words = line.trim();
    if (!isComment && words.startsWith('/*')) isComment = true;
    if (isComment) isComment = !words.includes('*/');
    else if (words !== '' && !words.startsWith('//')) code += 1;
  }
  return code;
}
