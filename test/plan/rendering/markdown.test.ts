import { describe, expect, test } from 'vitest';
import { renderMarkdown, renderTree } from '../../../src/plan/index.ts';
import { combine, compiled, task } from '../example-plans.ts';
import type { Executor } from '../../../src/plan/index.ts';

const A = task('A', { capability: 'search' });

describe('the Markdown page', () => {
  test('has a title, a sentence, the tree and a table', () => {
    const plan = compiled(combine('UNION', A, task('B')));
    const search: Executor = { kind: 'capability', name: 'search', version: '2', effect: 'idempotent' };
    expect(renderMarkdown(plan, { executors: { node_1: search }, states: { node_1: 'failed' } })).toBe(`# Find targets

It gives every record that is in "A" or in "B".

\`\`\`text
${renderTree(plan, { executors: { node_1: search } })}
\`\`\`

| node | what | executor | effect | state |
| --- | --- | --- | --- | --- |
| node_1 | Carry out "A" with the capability "search". | capability search@2 | idempotent | failed |
| node_2 | Carry out "B". | not chosen yet | unknown |  |
| node_3 | Keep every record that is in node_1 or in node_2. | operator UNION | read |  |

Digest: \`${plan.digest}\`
`);
  });

  test('tells what an effect writes to', () => {
    const set: Executor = {
      kind: 'capability',
      name: 'set',
      version: '1',
      effect: 'idempotent',
      resource: 'magnet-12',
    };
    const page = renderMarkdown(compiled(A), { executors: { node_1: set } });
    expect(page).toContain('| capability set@1 | idempotent on magnet-12 |');
  });

  test('has a diagram when it is asked for', () => {
    expect(renderMarkdown(compiled(A))).not.toContain('mermaid');
    expect(renderMarkdown(compiled(A), { mermaid: true })).toContain('\n```mermaid\nflowchart TD\n');
  });
});

describe('no text can become markup', () => {
  test.each([
    ['a | b', 'a \\| b'],
    ['<img src=x> &amp;', '\\<img src=x\\> \\&amp;'],
    ['*a* _b_ c_d `e` ~f~', '\\*a\\* \\_b\\_ c_d \\`e\\` \\~f\\~'],
    ['![x](http://y)', '\\!\\[x\\](http\\://y)'],
    ['back\\slash', 'back\\\\slash'],
    ['@someone #1 $x$', '&#64;someone \\#1 \\$x\\$'],
    ['two\nlines', 'two lines'],
  ])('%j', (text, escaped) => {
    expect(renderMarkdown(compiled(task(text)))).toContain(`| node_1 | Carry out "${escaped}". |`);
  });

  test('a fence is longer than any in the plan', () => {
    expect(renderMarkdown(compiled(task('`````')))).toMatch(/^`{6}text\n.*\n`{6}$/m);
  });
});
