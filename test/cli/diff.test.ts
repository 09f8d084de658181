/** `planwright diff`: two documents compared by what they mean. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planwright } from './planwright.ts';
import { writePlan } from './project.ts';

const folder = mkdtempSync(join(tmpdir(), 'planwright-diff-'));
const union = (right: string) => ({
  goal: 'g',
  plan: { operator: 'UNION', left: { task: 'A' }, right: { task: right } },
});
const before = writePlan(folder, union('B'));
const after = writePlan(folder, union('C'));

describe('diff', () => {
  test('of one plan, written in two ways, exits 0', async () => {
    const other = writePlan(folder, {
      goal: 'g',
      plan: { type: 'op', op: 'or', inputs: [{ text: 'A' }, { text: 'B' }] },
    });
    const { code, stdout } = await planwright(['diff', before, other]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^one plan, digest [0-9a-f]{64}\n$/);
  });

  test('of two plans exits 1 and lists what differs', async () => {
    expect(await planwright(['diff', before, after])).toMatchObject({
      code: 1,
      stderr: '',
      stdout: `~ node_2  C  task: "B" -> "C"
~ node_3 UNION  every record that is in node_1 or in node_2  its inputs changed
= 1 node as before
`,
    });
  });

  test('as JSON', async () => {
    const { code, stdout } = await planwright(['diff', before, after, '-o', 'json']);
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 1,
      ok: true,
      same: false,
      changed: [{ before: 'node_2', after: 'node_2', own: true }, { own: false }],
      reused: [{ before: 'node_1', after: 'node_1' }],
    });
  });
});
