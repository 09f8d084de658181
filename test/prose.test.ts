/** The hand-written pages open their sentences with a subject: few of them begin with a clause in its place. */

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSource } from './support/source-files.ts';

const OPENINGS =
  /^(?:What|Whatever|Who|Whoever|Whose|Of|One that|One who|One which|Where|Wherever|Which|Nothing|Nobody)\b/;
/** Of all sentences of the pages, and of those of one page. */
const MOST_OF_ALL = 0.02;
const MOST_OF_A_PAGE = 0.05;

/** Held to the code by tests of their own, and made from it. */
const TABLES = ['docs/bounds.md', 'docs/cli.md', 'docs/configuration.md', 'docs/errors.md'];
const markdownIn = (folder: string) =>
  readdirSync(new URL(`../${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...markdownIn('docs'),
  ...markdownIn('docs/decisions'),
];

/** Sentences, headings, items and cells, as they are read: without code blocks, marks and links. */
function sentencesOf(markdown: string): readonly string[] {
  return markdown
    .replaceAll(/^```[^]*?^```$/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-|#]|\d+\.))|(?<=[^\\])\|/)
    .map((part) =>
      part
        .replaceAll(/\s+/g, ' ')
        .replace(/^\s*(?:#+|-|\d+\.)\s+/, '')
        .trim(),
    )
    .flatMap((part) => part.split(/(?<=[.!?:]\*{0,2}\)?) (?=[*`[(]*[A-Z])/))
    .map((sentence) => sentence.replace(/^[*_[(|\s]+/, ''))
    .filter((sentence) => /[a-z]{2}/i.test(sentence));
}

const pages = PAGES.filter((page) => !TABLES.includes(page)).map((page) => {
  const sentences = sentencesOf(readSource(page));
  return { page, sentences, odd: sentences.filter((sentence) => OPENINGS.test(sentence)) };
});

test.each<[markdown: string, sentences: readonly string[]]>([
  ['# Where it is\n\nOne. Two,\nand three.', ['Where it is', 'One.', 'Two, and three.']],
  ['- **Bold.** What it is.\n- [Link](a.md): next', ['Bold.**', 'What it is.', 'Link](a.md): next']],
  ['| a cell | What it is |\n| --- | --- |', ['a cell', 'What it is']],
  ['Before.\n\n```sh\nWhat is code\n```\n', ['Before.']],
])('the sentences of %j', (markdown, sentences) => {
  expect(sentencesOf(markdown)).toEqual(sentences);
});

test.each(pages)('few sentences of $page begin with a clause', ({ sentences, odd }) => {
  expect(odd.length <= Math.max(1, sentences.length * MOST_OF_A_PAGE) ? [] : odd).toEqual([]);
});

test('few sentences of all pages do', () => {
  const all = pages.flatMap(({ sentences }) => sentences);
  const odd = pages.flatMap((each) => each.odd.map((sentence) => `${each.page}: ${sentence}`));
  expect(all.length).toBeGreaterThan(1000);
  expect(odd.length <= all.length * MOST_OF_ALL ? [] : odd).toEqual([]);
});
