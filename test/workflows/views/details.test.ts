/** The details that the Web UI shows of a run: what stands first, what is escaped, and how long they get. */

import { describe, expect, test } from 'vitest';
import { openLoop } from '../../../src/workflows/loop/loop.ts';
import { closeRun, openRun } from '../../../src/workflows/run/run.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { approvedRun, AT, bring, BROKE, DIGEST, executor, openedRun, say, shapeOf } from '../run/make-run.ts';

const HARM = '<b>x</b> [a](http://b) ![c](d) *e* `f` |g\n# h\r\n- i';

describe('the details of a run', () => {
  test('say what goes on while there is no plan', () =>
    expect(runDetails(openRun('w', AT))).toBe('### Compiling the plan\n'));

  test('begin with the news and the message to send, and end with the plan', () => {
    const details = runDetails(openedRun(shapeOf([[], []])));
    expect(details.split('\n')[0]).toBe('### Waiting for a decision on the plan, 0 of 2 nodes done');
    expect(details).toContain('send **approve**\n  `{"digest":"3fa9c1d2","by":"YOUR NAME"}`');
    expect(details).toContain(
      `With the Temporal CLI: \`temporal workflow signal -w plan-1 --name approve --input '{"digest":"3fa9c1d2","by":"YOUR NAME"}'\``,
    );
    expect(details).toContain(String.raw`**Find \*genes\***, plan ` + `\`${DIGEST}\`, revision 1`);
    expect(details).toContain('send **approve**');
    expect(details).toContain('approve the plan');
    expect(details).toContain('**2 reads**.');
    expect(details).toContain('\n- · node_2 node 1\n- · node_1 node 0\n');
    expect(details.endsWith('In full:\n\n- tree')).toBe(true);
  });

  test('name a token, and what it signs, where the project has keys', () => {
    const run = openedRun(shapeOf([[]]), {}, { inbox: false, keys: {} });
    const token = '{"token":"TOKEN"}';
    expect(statusOf(run).next).toBe(`temporal workflow signal -w plan-1 --name approve --input '${token}'`);
    expect(runDetails(run)).toContain(
      `send **approve**\n  \`${token}\`, where TOKEN signs \`{"digest":"${DIGEST}","by":"YOUR NAME"}\``,
    );
  });

  test('show in their first ten lines what an approval would let happen, with its values', () => {
    const planShape = shapeOf([[], [], []], {
      executors: [executor('read'), executor('at-most-once', 'magnet')],
      executorOf: [0, 1, 1],
      summaries: ['Find', 'Set the *magnet*', 'Set it again'],
      contextKeys: ['A', 'B', 'C'],
      values: {
        1: [
          { name: 'current', text: '44' },
          { name: 'device', text: '"magnet-12"' },
        ],
      },
    });
    const run = openedRun(planShape);
    run.state.loop = { ...openLoop({ goal: 'g' }, 9), round: 1 };
    const lines = runDetails(run).split('\n').slice(0, 10);
    expect(lines).toContain(
      String.raw`- **! at-most-once** node\_2 B magnet: Set the \*magnet\*: **current 44, device "magnet-12"**`,
    );
    expect(lines).toContain(String.raw`- **! at-most-once** node\_3 C magnet: Set it again`);
    expect(lines.join('\n')).toContain('send **approve**');
    // What was let happen stands in the plan below, and no more above it.
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' });
    expect(runDetails(run).split('\n').slice(0, 10).join()).not.toContain('current 44');
  });

  test.each([
    ['the 101st effect', 101, {}, '1 effect'],
    ['a part of a value', 1, { valuesLeft: { 0: 17 } }, '17 characters of values'],
  ])('name the command that shows all in place of an approval that lacks %s', (_, count, column, lacks) => {
    const inputs = Array.from({ length: count }, () => []);
    const run = openedRun(shapeOf(inputs, { executors: [executor('at-most-once', 'pay')], ...column }));
    const [item] = questionsOf(run);
    expect(item).toMatchObject({
      effectCount: count,
      leftOut: `not shown here: ${lacks}; planwright effects plan-1 shows all`,
    });
    expect([item?.effects?.length, item?.send.input['digest']]).toEqual([Math.min(100, count), 'DIGEST']);
    expect(statusOf(run).next).toBe('planwright effects plan-1');
    const details = runDetails(run);
    expect(details).toContain('Show all, then approve: `planwright effects plan-1`');
    expect(details).not.toMatch(/"digest"|send \*\*approve/);
  });

  test('tell of a loop its round, what it does, and who decided that', () => {
    const run = openRun('w', AT);
    run.state.loop = { ...openLoop({ goal: 'g' }, 9), round: 1 };
    expect(runDetails(run)).toBe('### Deciding\n\nRound 1 of at most 9: deciding\n');
    run.state.loop.step = { round: 1, summary: 'Which *region*?', by: 'gate g_region' };
    expect(runDetails(run)).toContain(String.raw`Round 1 of at most 9: Which \*region\*?, decided by gate g\_region`);
  });

  test('show counts, failures, decisions and the end', () => {
    const run = openedRun(shapeOf([[], [0]]));
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator', role: 'ops', comment: 'go' });
    say(run, 'control', { action: 'pause', by: 'operator' });
    bring(run, 0, { ...BROKE, status: 'failed' });
    expect(runDetails(run)).toContain('### Running (paused), 0 of 2 nodes done');
    expect(runDetails(run)).toContain('| failed | skipped |\n| --- | --- |\n| 1 | 1 |');
    expect(runDetails(run)).toContain('- node_1 node 0: **failed**, broke');
    expect(runDetails(run)).toContain(`- operator as ops said **approve** at 2026-01-02 03:04:05Z (unverified): go`);
    closeRun(run, 'aborted', AT);
    expect(runDetails(run).split('\n')[0]).toBe('### Closed: aborted (paused), 0 of 2 nodes done');
  });

  test('say of a question what its answer must be', () => {
    const run = approvedRun(shapeOf([[]]));
    bring(run, 0, {
      asks: { text: 'Which *offset*?', schema: { type: 'number', minimum: -2, description: 'in `mm`' } },
    });
    expect(runDetails(run)).toContain(
      String.raw`- Which \*offset\*? ANSWER is a number, at least -2 (in ` + '\\`mm\\`). Until ',
    );
    // A number in quotes would be a text, which the question refuses.
    expect(runDetails(run)).toContain('`{"question":"3fa9c1d2.node_1","value":ANSWER,"by":"YOUR NAME"}`');
  });

  test('CommonMark: backslash escapes: make the texts of others harmless', () => {
    const run = openedRun(shapeOf([[], []], { goal: HARM, text: 'a\n```\n# b\n````', summaries: [HARM, HARM] }));
    say(run, 'approve', { digest: '3fa9c1d2', by: HARM, role: HARM, comment: HARM });
    bring(run, 0, { asks: { text: HARM, suggestions: [HARM] } });
    bring(run, 1, { type: 'CRITICAL', message: HARM, status: 'failed' });
    const details = runDetails(run);
    // What is left of code spans has no markup that is not escaped.
    const text = details.replaceAll(/(?<![`\\])(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, '').replaceAll(/\\[\\`*_|<>[\]]/g, '');
    expect(text).not.toMatch(/[<>[\]`]/);
    expect(details).not.toMatch(/^(# h|- i)/m);
  });

  test('CommonMark: code spans: keep what is to be copied as it is, backticks and all', () => {
    const run = approvedRun(shapeOf([[]]));
    bring(run, 0, { asks: { text: 'which?', roles: ['a `b` ``c`` d'] } });
    expect(runDetails(run)).toContain(
      '  ``` {"question":"3fa9c1d2.node_1","value":"ANSWER","by":"YOUR NAME","role":"a `b` ``c`` d"} ```',
    );
  });
});
