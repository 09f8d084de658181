/** Keys that one object of a JSON text has twice. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatedKey } from '../../../src/plan/text/index.ts';

const keys = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '{', '}', ':', ' ', 'é', '\n') });
const documents = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, keys, fc.integer(), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
}));

test('there is none in what JSON.stringify writes, and it is found wherever one is put in', () => {
  const spaces = fc.constantFrom(0, 1, '\t');
  fc.assert(
    fc.property(
      documents.value,
      documents.object,
      keys,
      spaces,
      fc.boolean(),
      (before, members, key, space, isEscaped) => {
        const text = JSON.stringify([before, { ...members, [key]: before }, members], null, space);
        expect(repeatedKey(text)).toBeUndefined();
        const code = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
        const again = isEscaped ? `"${key.split('').map(code).join('')}"` : JSON.stringify(key);
        const twice = JSON.stringify({ ...members, [key]: before }, null, space).replace('{', `{${again} :[],`);
        const whole = `[${JSON.stringify(before)},{"x":[${twice}]}]`;
        JSON.parse(whole);
        expect(repeatedKey(whole)).toBe(key);
      },
    ),
  );
});
