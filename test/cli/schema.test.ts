/** `planwright schema` prints what the package ships. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { planwright } from './planwright.ts';

test('schema prints the schema that the package ships', async () => {
  const { code, stdout } = await planwright(['schema']);
  expect(code).toBe(0);
  expect(stdout).toBe(readFileSync(new URL('../../schema/plan.schema.json', import.meta.url), 'utf8'));
  const json = await planwright(['schema', '-o', 'json']);
  expect(json.stdout).toBe(stdout);
});
