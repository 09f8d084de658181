/** The picture of the bench beside other engines: well-formed, complete, and no label on another or beyond the box. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readLines, shown, type Line } from '../../bench/report/lines.ts';
import { drawPicture } from '../../bench/report/picture.ts';
import { readSource, ROOT } from '../support/source-files.ts';

/** Advance of a monospaced font of 13 px: 0.6 em in most of them. */
const CHARACTER = 7.9;
const FONT = 13;

const line = (name: string, engine: string, more: object) =>
  ({ case: name, unit: 'ms', engine, version: '1.0.0', label: 'x', ...more }) as Line;
const RECORDED = readLines(readSource('bench/results/peers.jsonl'));
const SETS: Readonly<Record<string, readonly Line[]>> = {
  'the recorded lines': RECORDED,
  'one line': [line('a', 'A', { value: 1 })],
  'no time at all': [line('a', 'A', { value: 0 }), line('a', 'B', { value: 0 })],
  'an engine that cannot, and one that was not asked': [
    line('a', 'A', { value: 5 }),
    line('a', 'B', { cannot: 'no' }),
    line('b', 'B', { value: 7 }),
  ],
  'signs of XML in names': [line('a < b & "c"', "A & B's <i>", { value: 1 })],
  'names and numbers that are too long': [
    line('a'.repeat(200), 'B'.repeat(100), { value: 123_456_789 }),
    line('c', 'short', { value: 1 }),
  ],
};

describe.each(Object.entries(SETS))('%s', (name, lines) => {
  const svg = drawPicture(lines);
  const elements = elementsIn(svg);
  const texts = elements.filter(({ tag }) => tag === 'text').map((one) => ({ ...one, ...placeOf(one) }));
  const bars = elements.filter(({ tag }) => tag === 'rect').map((one) => ({ ...one, ...placeOf(one) }));
  const [{ attributes: box = {} } = {}] = elements;
  const [width, height] = [Number(box['width']), Number(box['height'])];

  test('every label and bar is inside the box', () => {
    expect(width).toBeLessThanOrEqual(720);
    expect(texts.filter(({ x, y, to }) => x < 0 || y - FONT < 0 || to > width || y > height)).toEqual([]);
    expect(bars.filter(({ x, y, to }) => x < 0 || y < 0 || to > width || y > height)).toEqual([]);
  });
  test('no label is on another or on a bar', () => {
    const heights = [...new Set(texts.map(({ y }) => y))].toSorted((a, b) => a - b);
    expect(heights.filter((y, at) => at > 0 && y - (heights[at - 1] ?? 0) < FONT)).toEqual([]);
    for (const y of heights) {
      const row = texts.filter((text) => text.y === y);
      const beside = [...row, ...bars.filter((bar) => bar.y < y && bar.y > y - FONT)].toSorted((a, b) => a.x - b.x);
      expect(beside.filter(({ x }, at) => at > 0 && x < (beside[at - 1]?.to ?? 0))).toEqual([]);
    }
  });
  test('each case has a row for each engine', () => {
    const [cases, engines] = [new Set(lines.map((one) => one.case)), new Set(lines.map(({ engine }) => engine))];
    const kinds = (kind: string) => texts.filter(({ attributes }) => attributes['class'] === kind);
    expect(kinds('case')).toHaveLength(cases.size);
    expect(kinds('engine')).toHaveLength(cases.size * engines.size);
    if (name.includes('too long')) return;
    for (const one of lines) {
      expect(texts.map(({ text }) => text)).toContain(`${one.case}: ${one.unit}`);
      expect(texts.map(({ text }) => text)).toContain(`${one.engine} ${one.version}`);
      expect(texts.map(({ text }) => text)).toContain(shown(one));
    }
  });
});

test('the longest bar of a case is the slowest, and the others are in proportion', () => {
  const svg = drawPicture([line('a', 'A', { value: 10 }), line('a', 'B', { value: 40 }), line('b', 'A', { value: 1 })]);
  const widths = elementsIn(svg)
    .filter(({ tag }) => tag === 'rect')
    .map(({ attributes }) => Number(attributes['width']));
  expect(widths).toHaveLength(3);
  expect(widths[2]).toBe(widths[1]);
  expect(Math.abs(widths[0]! * 4 - widths[1]!)).toBeLessThanOrEqual(4);
});

test('the picture of the page is drawn from the recorded lines; npm run bench -- picture draws it anew', () => {
  expect(readFileSync(`${ROOT}/docs/performance.svg`, 'utf8')).toBe(drawPicture(RECORDED));
});

test.each(['<a><b></a></b>', '<a>', '<a x="1" x="2"/>', '<a>&</a>', '<a x=1/>', '<a/><b/>', '<a x="<"/>'])(
  '%s is not well-formed',
  (xml) => expect(() => elementsIn(xml)).toThrow(),
);

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** A reader of elements, attributes in double quotes, and text. @throws Error at the first place that XML does not allow */
function elementsIn(xml: string): readonly Element[] {
  const token = /<(\/?)([a-z]+)((?: [\w:-]+="(?:[^"<&]|&\w+;)*")*)\s*(\/?)>|((?:[^<>&]|&(?:amp|lt|gt|quot);)+)/gy;
  const elements: Element[] = [];
  const open: Element[] = [];
  while (token.lastIndex < xml.trimEnd().length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (match === null || (open.length === 0 && elements.length > 0))
      throw new Error(`no XML: ${xml.slice(at, at + 40)}`);
    const [, closes, tag = '', list = '', isEmpty, text] = match;
    const parent = open.at(-1);
    if (text !== undefined) {
      if (parent !== undefined) parent.text += unescaped(text);
    } else if (closes === '/') {
      if (open.pop()?.tag !== tag) throw new Error(`</${tag}> closes nothing that is open`);
    } else {
      const pairs = [...list.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
      const attributes = Object.fromEntries(pairs) as Record<string, string>;
      if (Object.keys(attributes).length !== pairs.length) throw new Error(`<${tag}> has an attribute twice`);
      const element = { tag, attributes, text: '' };
      elements.push(element);
      if (isEmpty !== '/') open.push(element);
    }
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.tag}> stays open`);
  return elements;
}

function placeOf({ attributes, text }: Element): { x: number; y: number; to: number } {
  const [x = 0, y = 0, width = 0] = ['x', 'y', 'width'].map((name) => Number(attributes[name] ?? 0));
  return { x, y, to: x + (width > 0 ? width : text.length * CHARACTER) };
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
