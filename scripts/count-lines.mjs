/**
 * Counts what a reader has to read, and fails where a row is above its budget: `node scripts/count-lines.mjs`.
 *
 * What the build makes is not counted. A line of code is neither blank nor wholly a comment; one of over 120 characters counts as two. Tests are counted with their
 * fixtures, by lines of text; pages by words. A change that makes a row smaller lowers its budget.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference-pages.mjs';

/** Lines of code of each folder of src, of the files at its top, and of what stands beside it. */
const CODE = {
  // Results and governing words in the notations of other systems are read or refused, by two tables; numbers are compared whole.
  // Readers of texts from outside take time that grows with the length alone.
  'src/plan': 7760,
  'src/protocol': 4027,
  'src/store': 2534,
  'src/workflows': 9282,
  'src/models': 1697,
  // A thread is kept for the pictures of the page, whose budget fell by more, and threads compile documents.
  'src/capabilities': 5175,
  'src/planner': 3537,
  'src/activities': 5803,
  'src/worker': 373,
  'src/client': 2358,
  'src/config': 2220,
  'src/operations': 4576,
  'src/cli': 5165,
  'src/page': 4471,
  'src/mcp': 1105,
  'src/*': 284,
  // What is read is read to its end: answers of tools, references, words that govern, files, cards.
  // Large documents are compiled in a thread, and work that loses its workers asks a person.
  // Replies of models are read in the forms of a dozen servers, and answers of tools by one table.
  // A rule that became stricter asks once more; the trial run of doctor went for it.
  // A page shows all effects of a plan that is too long for a card.
  // Work under way and agents hold no run any more: a stop that is obeyed until a claim, ends that are looked at, signals until taken.
  src: 60367,
  // How a project grades the plans of its model, in place of two commands.
  examples: 6282,
  // The figures of the page have a command.
  bench: 3967,
  scripts: 1794,
};
const FILES_OF_SRC = 572;
// Each answer, notation, line of a file and card that is read or refused has its row or its property.
const LINES_OF_TESTS = 89641;
const WORDS_OF_PAGES = 37976;

/** Comments of src, and names that two of its files export: a reader who looks for a name should find one thing. */
const COMMENTS = { lines: 8559, words: 99552 };
const NAMES_DEFINED_TWICE = 2;

const LONG_LINE = 120;
/** Words that a comment has at least to be in the sample. */
const WORDS_SAMPLED = 8;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const made = referencePages(root).map((path) => relative(root, path).replaceAll(sep, '/'));
const files = ['src', 'examples', 'bench', 'scripts', 'test', 'docs']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
  )
  .concat(readdirSync(root).filter((name) => name.endsWith('.md')))
  .filter((path) => !/(^|\/)node_modules\/|^docs\/api\/|^bench\/results\//.test(path) && !made.includes(path));

const code = files.filter((path) => /\.(ts|tsx|js|mjs|css)$/.test(path));
const sources = code.filter((path) => within('src')(path) && !path.endsWith('.css'));
let isAbove = false;

// A sample for a reader: `node scripts/count-lines.mjs --comments | sort -R --random-source=<(yes 7) | head -60`.
if (process.argv.includes('--comments')) {
  const lines = sources.flatMap((path) =>
    comments(readFileSync(join(root, path), 'utf8'))
      .filter((text) => words(text) >= WORDS_SAMPLED)
      .map((text) => `${path}: ${text.replaceAll(/\s+/g, ' ').trim()}\n`),
  );
  await new Promise((done) => process.stdout.write(lines.join(''), done));
  process.exit();
}

console.log('| what | count | budget |\n| --- | ---: | ---: |');
for (const [folder, budget] of Object.entries(CODE))
  row(`${folder}, lines`, sum(code.filter(within(folder)), linesOfCode), budget);
row('src, files', code.filter(within('src')).length, FILES_OF_SRC);
row(
  'test with its fixtures, lines',
  sum(
    files.filter((path) => path.startsWith('test/') && !path.endsWith('.gz')),
    linesOfText,
  ),
  LINES_OF_TESTS,
);
row(
  'pages, words',
  sum(
    // What a demo searches is data.
    files.filter((path) => path.endsWith('.md') && !/^test\/|^examples\/market-sizing\/pages\//.test(path)),
    words,
  ),
  WORDS_OF_PAGES,
);
row(
  'src, lines of comments',
  sum(sources, (text) => linesOfText(`${comments(text).join('\n')}\n`)),
  COMMENTS.lines,
);
row(
  'src, words of comments',
  sum(sources, (text) => words(comments(text).join(' '))),
  COMMENTS.words,
);
row('src, exported names that are defined twice', namesDefinedTwice(sources).length, NAMES_DEFINED_TWICE);
if (isAbove)
  console.error('Above its budget. Take away what has become needless, or say in the table why it had to grow.');
process.exitCode = isAbove ? 1 : 0;

/** @param {string} what @param {number} count @param {number} budget */
function row(what, count, budget) {
  isAbove ||= count > budget;
  console.log(`| ${what} | ${count} | ${budget}${count > budget ? ' ABOVE' : ''} |`);
}

/** @param {string} folder @returns {(path: string) => boolean} */
function within(folder) {
  return folder === 'src/*' ? (path) => /^src\/[^/]+$/.test(path) : (path) => path.startsWith(`${folder}/`);
}

/** @param {readonly string[]} paths @param {(text: string) => number} count */
function sum(paths, count) {
  return paths.reduce((total, path) => total + count(readFileSync(join(root, path), 'utf8')), 0);
}

/** @param {string} text */
function linesOfCode(text) {
  let isComment = false;
  let lines = 0;
  for (const line of text.split('\n')) {
    const written = line.trim();
    if (!isComment && written.startsWith('/*')) isComment = true;
    if (isComment) isComment = !written.includes('*/');
    else if (written !== '' && !written.startsWith('//')) lines += line.length > LONG_LINE ? 2 : 1;
  }
  return lines;
}

/** @param {string} text */
function linesOfText(text) {
  return text.split('\n').length - 1;
}

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter(Boolean).length;
}

/** Its comments without their marks. @param {string} text */
function comments(text) {
  const found = text.match(/\/\*[\s\S]*?\*\/|(?:^|(?<=[^:'"`]))\/\/[^\n]*/gm) ?? [];
  return found.map((comment) => comment.replaceAll(/[/*]/g, ' '));
}

/** @param {readonly string[]} paths */
function namesDefinedTwice(paths) {
  const declared = /^export (?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;
  // A function of several signatures is declared several times in its file.
  const names = paths.flatMap((path) => [
    ...new Set([...readFileSync(join(root, path), 'utf8').matchAll(declared)].map(([, name]) => name)),
  ]);
  return names.filter((name, at) => names.indexOf(name) !== at);
}
