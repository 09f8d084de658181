/** The picture of the bench beside other engines: bars in groups, an SVG without a library. */

import { axesOf, shown, type Line } from './lines.ts';

const WIDTH = 720;
const SIZE = 13;
/** A character of any monospaced font at `SIZE`, a little more than it is wide. */
const CHARACTER = 8;
const MARGIN = 12;
const ROW = 20;
const TITLE = 26;
const GAP = 10;
const BAR = 12;
/** Longer names are cut: bars keep half of the width. */
const MOST_NAME = 36;
const MOST_TITLE = Math.floor((WIDTH - 2 * MARGIN) / CHARACTER);
const OWN = 'Planwright';
/** Light and dark pages have either style; a viewer that knows no such question gets the light one. */
const STYLE = `
text { font: ${SIZE}px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
.case { font-weight: bold } .engine, .value { fill: #59636e }
rect { fill: #8c959f } rect.own { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .engine, .value { fill: #9198a1 }
rect { fill: #656c76 } rect.own { fill: #4493f8 } }
`;

/**
 * A group of bars for each case, one for each engine; each group has a scale of its own, and shorter is faster.
 * Planwright stands out, in each of its lanes.
 */
export function drawPicture(lines: readonly Line[]): string {
  const { cases, engines } = axesOf(lines);
  const titles = engines.map((engine) => {
    const version = lines.find((line) => line.engine === engine)?.version ?? '';
    return cut(`${engine} ${version}`.trim(), MOST_NAME);
  });
  const barFrom = MARGIN + CHARACTER * (2 + Math.max(...titles.map(({ length }) => length)));
  const values = lines.map((line) => shown(line));
  const barTo = WIDTH - MARGIN - CHARACTER * (1 + Math.max(...values.map(({ length }) => length)));
  const parts: string[] = [];
  let y = MARGIN;
  for (const name of cases) {
    const group = engines.map((engine) => lines.find((line) => line.case === name && line.engine === engine));
    const most = Math.max(...group.map(valueOf));
    const unit = group.find((line) => line !== undefined)?.unit ?? '';
    parts.push(textAt(MARGIN, y + SIZE, cut(`${name}: ${unit}`, MOST_TITLE), 'case'));
    y += TITLE;
    for (const [at, line] of group.entries()) {
      const length = most > 0 ? Math.round(((barTo - barFrom) * valueOf(line)) / most) : 0;
      const middle = y + BAR - 1;
      parts.push(textAt(MARGIN, middle, titles[at] ?? '', 'engine'));
      if (length > 0) parts.push(barAt(barFrom, y, length, engines[at]?.startsWith(OWN) === true));
      parts.push(textAt(barFrom + length + CHARACTER, middle, shown(line), 'value'));
      y += ROW;
    }
    y += GAP;
  }
  const height = y;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">
<title>${escaped(`${titles.join(', ')}: shorter is faster`)}</title>
<style>${STYLE}</style>
${parts.join('\n')}
</svg>
`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function valueOf(line: Line | undefined): number {
  return line !== undefined && 'value' in line ? Math.max(0, line.value) : 0;
}

function textAt(x: number, y: number, text: string, kind: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${escaped(text)}</text>`;
}

function barAt(x: number, y: number, length: number, isOwn: boolean): string {
  return `<rect ${isOwn ? 'class="own" ' : ''}x="${x}" y="${y}" width="${length}" height="${BAR}" rx="2"/>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
