/** What a person would read of a page. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHtml } from '../../src/capabilities/builtin/fetch-page/html-text.ts';

const texts = (html: string) => readHtml(html).text.split('\n').filter(Boolean);

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
      ...{ title: 'Reef & sea', text: 'x' },
    });
    expect(readHtml('<title> </title>x')).not.toHaveProperty('title');
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
