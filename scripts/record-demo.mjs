/**
 * Draws the main demo as an SVG, docs/demo.svg: what it writes to a terminal, each line at the time at which it came, waits
 * cut to a second and a half. Needs a built checkout; uses the server that runs, else starts one as the demo does.
 *
 *   node scripts/record-demo.mjs
 */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const COLUMNS = 100;
const LONGEST_WAIT_MS = 1500;
/** As on a terminal, which is shown the beginning of the answer. */
const ANSWER_LINES = 5;
const CHAR = { width: 8.4, height: 18 };
const MARGIN = 16;
/** What the program paints with, by the number of the terminal's command. */
const STYLES = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };
const COLOUR = new RegExp(String.raw`\u001B\[(\d+)m`);
const SHEET = `
  .page { fill: #16181d } text { fill: #d8dae0; font: 14px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
  .bold { font-weight: 700 } .dim { fill: #8a8f9c } .red { fill: #ff7b72 } .green { fill: #7ee787 }
  .yellow { fill: #f2cc60 } .cyan { fill: #79c0ff }
  .line { opacity: 0; animation: come 0.2s forwards }
  @keyframes come { to { opacity: 1 } }
  @media (prefers-reduced-motion: reduce) { .line { opacity: 1; animation: none } }`;

const lines = await record(['demo', 'gene-strategies', '--yes', '--color', 'always']);
writeFileSync(join(root, 'docs/demo.svg'), drawing(lines));
console.log(`docs/demo.svg: ${lines.length} lines, ${(lines.at(-1)?.at ?? 0) / 1000} s`);

/**
 * @typedef {{ at: number, text: string }} Line
 * @param {readonly string[]} args
 * @returns {Promise<Line[]>}
 */
async function record(args) {
  const env = { ...process.env, COLUMNS: String(COLUMNS) };
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {Line[]} */
  const found = [];
  let [at, last, rest] = [0, Date.now(), ''];
  const hear = (/** @type {string} */ text) => {
    const now = Date.now();
    at += Math.min(now - last, LONGEST_WAIT_MS);
    last = now;
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) found.push({ at, text: part });
  };
  child.stderr.setEncoding('utf8').on('data', hear);
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (answer += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  // Which of the two pipes is read first is chance; on a terminal the answer stands below its title.
  const title = found.findIndex(({ text }) => text.includes('Answer'));
  const shown = answer.split('\n').slice(0, ANSWER_LINES);
  found.splice(title + 1, 0, ...shown.map((text) => ({ at: found[title]?.at ?? at, text })));
  // Whoever records it is nobody's business.
  const { username } = userInfo();
  for (const line of found)
    line.text = line.text.replace(`approved by ${username}`, 'approved by operator').replaceAll(`${homedir()}/`, '~/');
  if (code !== 0) throw new Error(`the demo ended with ${code}:\n${found.map(({ text }) => text).join('\n')}`);
  return found;
}

/** @param {readonly Line[]} shown */
function drawing(shown) {
  const width = Math.ceil(COLUMNS * CHAR.width + 2 * MARGIN);
  const height = shown.length * CHAR.height + 2 * MARGIN;
  const rows = shown.map(({ at, text }, row) => {
    const y = MARGIN + (row + 0.8) * CHAR.height;
    return `<text class="line" x="${MARGIN}" y="${y.toFixed(1)}" style="animation-delay: ${(at / 1000).toFixed(2)}s">${spans(text)}</text>`;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`;
  const title =
    '<title>The demo: a plan is shown and approved, its worker is killed, and nothing that had finished runs again</title>';
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
