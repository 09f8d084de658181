/** `planwright graph` of documents. */

import { describe, expect, test } from 'vitest';
import { planwright } from './planwright.ts';

const PLAN = JSON.stringify({
  goal: 'Both',
  plan: { operator: 'MINUS', left: { task: 'A' }, right: { task: 'B' } },
});

describe('graph of a document', () => {
  test('says when Mermaid will not draw it', async () => {
    let plan: object = { task: 'first' };
    for (let at = 0; at < 600; at++) plan = { task: `task ${at}`, input: plan };
    const { code, stderr } = await planwright(['graph', '-'], { stdin: JSON.stringify({ goal: 'g', plan }) });
    expect(code).toBe(0);
    expect(stderr).toContain('600 arrows; Mermaid draws 50000 and 500');
  });

  test.each([
    [['graph'], 'name a plan document or, with --run, a run'],
    [['graph', '-', '--run', 'plan-1'], 'one of the two'],
    [['graph', '-', '--format', 'svg'], '--format: expected mermaid or tree or markdown'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stderr } = await planwright(args, { stdin: PLAN });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
