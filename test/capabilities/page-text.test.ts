/** What a person would read of a page, and on which lines it stands. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHtml, readLines } from '../../src/capabilities/builtin/page-text.ts';

const texts = (html: string) => readHtml(html).pieces.map(({ text }) => text);

describe('the text of HTML', () => {
  test.each<[html: string, pieces: readonly string[]]>([
    ['<p>A <b>coral</b> <a href="x">reef</a>.</p>', ['A coral reef.']],
    ['<p>one<p>two<br>three<div>four</div>five', ['one', 'two', 'three', 'four', 'five']],
    ['<table><tr><td>a</td><td>b</td></tr></table>', ['a', 'b']],
    ['<p>R &amp; D &lt; 5&nbsp;% &#128167;</p>', ['R & D < 5 % 💧']],
    ['a<script>if (a < b) "<p>no</p>"</script><style>p {}</style><noscript>no</noscript>b', ['a', 'b']],
    ['a<svg><svg><title>no</title></svg>no</svg>b', ['a', 'b']],
    ['a<svg/>b<template/>c', ['a', 'b', 'c']],
    ['a<!-- no --><!doctype html><?php no ?>b', ['ab']],
    ['<textarea><p>kept</textarea>', ['<p>kept']],
    ['<p>open <b', ['open']],
    ['', []],
    [' \n&nbsp;<p></p>', []],
  ])('%j', (html, pieces) => expect(texts(html)).toEqual(pieces));

  test('has a title, the first, which is no piece', () => {
    expect(readHtml('<TITLE>Reef &amp;\n sea</TITLE><title>b</title>x')).toEqual({
      ...{ title: 'Reef & sea', pieces: [{ text: 'x', line: 2 }] },
    });
    expect(readHtml('<title> </title>x')).not.toHaveProperty('title');
  });

  test('knows on which line a piece begins', () => {
    const html = '<p>one</p>\n\n<div>\n  two\n  three</div>\n<script>\n\n</script><p>\n&amp;four';
    expect(readHtml(html).pieces).toEqual([
      { text: 'one', line: 1 },
      { text: 'two three', line: 4 },
      { text: '&four', line: 9 },
    ]);
  });

  test('of whatever is written has pieces in order, on lines that there are', () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<b>',
      '<svg>',
      '</svg>',
      '<script>',
      '</script>',
      '\n',
      'word ',
      '&amp;',
      '<',
      '<!--',
      '-->',
      '"',
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((all) => all.join('')),
        (html) => {
          const lines = readHtml(html).pieces.map(({ line }) => line);
          expect(lines).toEqual(lines.toSorted((a, b) => a - b));
          expect(lines.every((line) => line >= 1 && line <= html.split('\n').length)).toBe(true);
        },
      ),
    );
  });

  test('of plain words is those words', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(texts(words.map((one) => `<p>${one}</p>`).join('\n'))).toEqual(words);
        expect(texts(words.map((one) => `<i>${one}</i>`).join('\n'))).toEqual([words.join(' ')]);
      }),
    );
  });
});

test('lines are those that are not blank, and the first heading is the title', () => {
  expect(readLines('intro\r\n\r\n## Reef ##\r\n\tA  coral\treef.\n# Later')).toEqual({
    title: 'Reef',
    pieces: [
      { text: 'intro', line: 1 },
      { text: '## Reef ##', line: 3 },
      { text: 'A coral reef.', line: 4 },
      { text: '# Later', line: 5 },
    ],
  });
  expect(readLines('#hashtag\n# \n')).not.toHaveProperty('title');
});
