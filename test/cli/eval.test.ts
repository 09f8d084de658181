/** `planwright eval run`, typed, with a model over HTTP: what it tells, what it costs, and how it exits. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chatEvents, startModelServer } from '../support/model-server.ts';
import { CONFIG, planwright } from './planwright.ts';

const CASES = [
  { name: 'one-word', goal: 'Letters', expect: { valid: 'at-once', uses: ['letters'] } },
  { name: 'unknown', goal: 'Letters', expect: { useful: true } },
];
const nodes = (word: string) => [{ id: 'a', task: word, capability: 'letters', arguments: { word } }];

test('an unknown grader is told with its path, the rest is graded, and a second run and a comparison cost nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-eval-'));
  const server = await startModelServer(() => ({ events: chatEvents([JSON.stringify({ nodes: nodes('ab') })]) }));
  const evaluate = async (cases: readonly object[], ...more: string[]) => {
    writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases));
    const named = ['--config', CONFIG, '--model', server.baseURL, '--model-name', 'tiny', '-o', 'json'];
    const { code, stdout } = await planwright(['eval', 'run', 'cases.json', ...named, ...more], { cwd: folder });
    return { code, stdout, report: JSON.parse(stdout) as Record<string, unknown> };
  };

  const first = await evaluate(CASES, '--repeat', '2');
  expect({ code: first.code, ...first.report }).toMatchObject({
    ...{ code: 2, ok: false, passed: true, pass1: 1, passK: 1, bought: 2, usage: { calls: 2 } },
    problems: [
      expect.stringMatching(/^cases\.json: \$\[1\]\.expect: unknown grader "useful"; there are valid, digest, /),
    ],
  });
  expect(server.asked).toHaveLength(2);

  const again = await evaluate(CASES.slice(0, 1), '--repeat', '2');
  expect({ code: again.code, ...again.report }).toMatchObject({ code: 0, ok: true, bought: 0, reused: 2, pass1: 1 });
  expect(server.asked).toHaveLength(2);

  writeFileSync(join(folder, 'report.json'), again.stdout);
  const stricter = [{ ...CASES[0], expect: { size: { min: 4 } } }];
  const worse = await evaluate(stricter, '--repeat', '2', '--against', 'report.json');
  expect({ code: worse.code, ...worse.report }).toMatchObject({
    ...{ code: 1, ok: false, bought: 0 },
    comparison: { changes: [{ name: 'one-word', change: 'worse', before: 1 }] },
  });
});

test('a file without one right case is refused with all that is wrong', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-eval-'));
  writeFileSync(join(folder, 'cases.json'), JSON.stringify([{ ...CASES[1], goal: '' }]));
  const { code, stderr } = await planwright(['eval', 'run', 'cases.json', '--config', CONFIG], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toContain('$[0].goal: expected a sentence');
  expect(stderr).toContain('$[0].expect: unknown grader "useful"');
});
