import { describe, expect, test } from 'vitest';
import { reflect } from '../../src/capabilities/builtin/index.ts';
import { carryOut, examplesOf } from './carry-out.ts';

describe('VentureScope: reflect', () => {
  test('answers the note', async () => {
    expect(await carryOut(reflect, { note: ' Ask for the size of a household.\n' })).toBe(
      'Ask for the size of a household.',
    );
  });

  test.each([[{}], [{ note: '' }], [{ note: ' \n' }], [{ note: 'x'.repeat(8001) }], [{ note: 'a', to: 'b' }]])(
    'refuses %j',
    (args) => expect(reflect.input.safeParse(args).success).toBe(false),
  );

  test('has examples that fit', () => {
    expect(examplesOf(reflect).map((args) => reflect.input.safeParse(args).success)).toEqual([true]);
  });
});
