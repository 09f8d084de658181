/** Texts that are hard to show, to cut and to send. */

import fc from 'fast-check';

/** Fixed, so that a failure is seen again. */
export const RUNS = { seed: 20_261, numRuns: 500 } as const;

const PIECES = [
  ...['a', 'é', '漢', '😀', ' ', '\n', '\t', '\r', '\0', '\u001b[31m', '\u009b', '\u007f', '\u00ad', '\u034f'],
  ...['\u061c', '\u115f', '\u180e', '\u200b', '\u200d', '\u202e', '\u2028', '\u2029', '\u2060', '\u2800', '\u3164'],
  ...['\ud800', '\udc00', '\ue000', '\ufe0f', '\ufeff', '\ufff9', '\uffff', '\u{1d159}', '\u{e0041}', '\u{e0100}'],
  ...['"', "'", '\\', '\\u202e', '…', '`', '$(x)', '|'],
];

/** Any text, and one of such pieces, lone surrogates and hidden characters among them. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
