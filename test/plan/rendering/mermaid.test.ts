import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMermaid } from '../../../src/plan/index.ts';
import { RUNS } from '../arbitraries.ts';
import { combine, compiled, task } from '../example-plans.ts';

const A = task('A');
const B = task('B');
const labelOf = (text: string): string =>
  /node_1<br\/>(.*)"\]/.exec(renderMermaid(compiled(task(text))))?.[1] ?? 'no label';

describe('the diagram', () => {
  test('has a box per node and an arrow per use of a result', () => {
    const shared = combine('UNION', A, B, { display_name: 'Either' });
    expect(renderMermaid(compiled(combine('MINUS', shared, task('Use', { input: shared }))))).toBe(
      [
        'flowchart TD',
        '  node_1["node_1<br/>A"]',
        '  node_2["node_2<br/>B"]',
        '  node_3{{"node_3 UNION<br/>Either"}}',
        '  node_4["node_4<br/>Use"]',
        '  node_5{{"node_5 MINUS"}}',
        '  node_1 --> node_3',
        '  node_2 --> node_3',
        '  node_3 --> node_4',
        '  node_3 -->|left| node_5',
        '  node_4 -->|right| node_5',
        '  class node_5 answer',
        '  classDef answer stroke-width:3px',
      ].join('\n'),
    );
  });
});

describe('no text can break out of its box', () => {
  test.each([
    ['plain words, Ünïcode 基因 10', 'plain words, Ünïcode 基因 10'],
    ['P. falciparum', 'P. falciparum'],
    ['protein-coding', 'protein-coding'],
    ['say "end"', 'say #34;end#34;'],
    ['a"] --> b["', 'a#34;#93; #45;#45;#62; b#91;#34;'],
    ['<script>x</script>', '#60;script#62;x#60;#47;script#62;'],
    ['- a list', '#45; a list'],
    ['1. first', '1#46; first'],
    ['`code` **bold** _i_', '#96;code#96; #42;#42;bold#42;#42; #95;i#95;'],
    ['%%{init: {}}%%', '#37;#37;#123;init#58; #123;#125;#125;#37;#37;'],
    ['www.example.org', 'www#46;example#46;org'],
    ['style a:b #35; c', 'style a#58;b #35;35#59; c'],
    ['fa:fa-car $$x$$', 'fa#58;fa-car #36;#36;x#36;#36;'],
    ['two\n lines\r\n', 'two lines'],
    ['\u202eturned', '#92;u202eturned'],
    ['😀', '#128512;'],
    ['x'.repeat(100), `${'x'.repeat(80)}#8230;`],
  ])('%j', (text, label) => {
    expect(labelOf(text)).toBe(label);
  });

  test('of any text, in any place', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...Array.from('"[]{}()<>|;:#%&`$\\/-=.*_~@!?\n 1a')),
      minLength: 1,
      maxLength: 40,
    });
    const safe = /^(?:[\p{L}\p{N}\p{M} ,.-]|#\d+;|<br\/>|node_\d+| UNION)*$/u;
    fc.assert(
      fc.property(hostile, hostile, (text, name) => {
        fc.pre(text.trim() !== '' && name.trim() !== '');
        const diagram = renderMermaid(compiled(combine('UNION', task(text), task('z'), { display_name: name })));
        const labels = [...diagram.matchAll(/^ {2}node_\d(?:\["|\{\{")(.*)(?:"\]|"\}\})$/gm)].map(([, label]) => label);
        expect(labels).toHaveLength(3);
        for (const label of labels) expect(label).toMatch(safe);
        expect(diagram.split('\n')).toHaveLength(8);
      }),
      RUNS,
    );
  });
});
