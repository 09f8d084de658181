/** Texts of wide characters, and a judge of their columns beside ours. */

import { eastAsianWidth } from 'get-east-asian-width';
import fc from 'fast-check';
import { anyText } from '../text/arbitraries.ts';

const WORDS = [
  ...[
    'node',
    'a',
    '漢字',
    '遺伝子の座標を読む。',
    '프로그램',
    '한글'.normalize('NFD'),
    'ﾊﾝｶｸ',
    'Ｗｉｄｅ',
    'ไทยกำ',
    'क्षत्रिय',
  ],
  ...[
    '😀',
    '👍🏽',
    '👩‍🔬',
    '🇫🇷',
    '❤️',
    'e\u0301a\u0323\u0302',
    '\u0301',
    '…',
    '│  ',
    '`planwright worker`',
    '/計画/一.json',
  ],
];

export const wideText: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom('', ' ', '  ', '\t', '\n')), { maxLength: 40 })
    .map((parts) => parts.flat().join('')),
  anyText,
);

const COLOUR = new RegExp(String.raw`\u001B\[\d*m`, 'g');
const NO_COLUMN = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]/u;

/** The columns of a line as the library has them for each of its characters. */
export function columnsIn(line: string): number {
  let columns = 0;
  for (const one of line.replaceAll(COLOUR, '')) {
    if (!NO_COLUMN.test(one)) columns += one === '\t' ? 8 : eastAsianWidth(one.codePointAt(0)!);
  }
  return columns;
}
