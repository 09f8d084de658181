/**
 * Draws the main demo as a picture of 900 x 500, docs/demo.svg: of what it writes to a terminal the lines that tell its story. Needs a
 * built checkout; uses the server that runs, else starts one as the demo does.
 *
 *   node scripts/record-demo.mjs
 */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const COLUMNS = 100;
const PICTURE = { width: 900, height: 500 };
const CHAR = { height: 17 };
const MARGIN = 18;
/** Of each section the lines that are shown; an empty one is left between sections. */
const STORY = [
  { section: /^Plan /, shown: /^Plan |^ +[0-9a-f]{64}$|^[ │├└─]*node_/ },
  { section: /^Run /, shown: /^Run |^✓/ },
  { section: /^worker /, shown: /^worker |^ {2}node_\d+ (is|was) / },
  { section: /^ {2}✓/, shown: /./ },
  { section: /^Answer /, shown: /^Answer / },
];
/** What the program paints with, by the number of the terminal's command. */
const STYLES = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };
const COLOUR = new RegExp(String.raw`\u001B\[(\d+)m`);
const SHEET = `
  .page { fill: #16181d } text { fill: #d8dae0; font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
  .bold { font-weight: 700 } .dim { fill: #8a8f9c } .red { fill: #ff7b72 } .green { fill: #7ee787 }
  .yellow { fill: #f2cc60 } .cyan { fill: #79c0ff }`;

const lines = await record(['demo', 'gene-strategies', '--yes', '--color', 'always']);
const story = storyOf(lines);
const height = story.length * CHAR.height + 2 * MARGIN;
if (height > PICTURE.height) throw new Error(`the story takes ${height} of ${PICTURE.height} pixels`);
writeFileSync(join(root, 'docs/demo.svg'), drawing(story));
console.log(`docs/demo.svg: ${story.length} of ${lines.length} lines`);

/**
 * @param {readonly string[]} args
 * @returns {Promise<string[]>}
 */
async function record(args) {
  const env = { ...process.env, COLUMNS: String(COLUMNS) };
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (said += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the demo ended with ${code}:\n${said}`);
  return said.split('\n');
}

/** @param {readonly string[]} all @returns {string[]} */
function storyOf(all) {
  const plain = all.map((line) => line.replaceAll(new RegExp(COLOUR, 'g'), ''));
  return STORY.flatMap(({ section, shown }, at) => {
    const from = plain.findIndex((line) => section.test(line));
    if (from === -1) throw new Error(`the demo has no line ${section}`);
    const next = plain.findIndex(
      (line, row) => row > from && STORY.some((one) => one !== STORY[at] && one.section.test(line)),
    );
    const rows = plain.flatMap((line, row) =>
      row >= from && (next === -1 || row < next) && shown.test(line) ? [row] : [],
    );
    return [...(at === 0 ? [] : ['']), ...rows.map((row) => all[row] ?? '')];
  });
}

/** @param {readonly string[]} shown */
function drawing(shown) {
  const { width, height: full } = PICTURE;
  const rows = shown.map((text, row) => {
    const y = MARGIN + (row + 0.8) * CHAR.height;
    return `<text x="${MARGIN}" y="${y.toFixed(1)}">${spans(text)}</text>`;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${full}" width="${width}" height="${full}" role="img">`;
  const title = '<title>A plan is approved, its worker is killed, and nothing that had finished runs again</title>';
  return [
    head,
    title,
    `<style>${SHEET}</style>`,
    '<rect class="page" width="100%" height="100%" rx="8"/>',
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {string} text with the terminal's commands for colours */
function spans(text) {
  let style = '';
  return text
    .split(COLOUR)
    .map((part, at) => {
      if (at % 2 === 1) {
        style = STYLES[/** @type {keyof typeof STYLES} */ (Number(part))] ?? '';
        return '';
      }
      return style === '' || part === '' ? escaped(part) : `<tspan class="${style}">${escaped(part)}</tspan>`;
    })
    .join('');
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
