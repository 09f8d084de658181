import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../src/plan/index.ts';
import { HOSTILE_STEPS, HOSTILE_TEXTS, HOSTILE_TREES, HOSTILE_XML } from './hostile-catalogue.ts';

describe.each([
  ['the text of a document', HOSTILE_TEXTS],
  ['trees', HOSTILE_TREES],
  ['XML', HOSTILE_XML],
  ['lists of steps', HOSTILE_STEPS],
] as const)('%s', (_, catalogue) => {
  test.each(catalogue.map((each) => [each[0], each] as const))(
    '%s',
    (_name, [, document, answer, warning, options = {}]) => {
      const result = compilePlan(document, options);
      const errors = result.ok
        ? ['ok']
        : result.issues.filter(({ severity }) => severity === 'error').map(({ code }) => code);
      expect(errors).toContain(answer);
      if (!result.ok) return;
      // Most lists here end without an answer, which is not what they are about.
      const warnings = result.warnings
        .map(({ code }) => code)
        .filter((code) => code === warning || code !== 'added-respond');
      expect(new Set(warnings)).toEqual(new Set(warning === undefined ? [] : [warning]));
    },
  );
});
