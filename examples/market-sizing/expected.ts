/** The numbers of the memo, found on the pages and worked out by other means: lines of text, and whole numbers. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The line of a page, from 1; '' where there is none. */
export function lineOf(folder: string, place: string): string {
  const [, file = '', line = ''] = /^([\w-]+\.md):(\d+)$/.exec(place) ?? [];
  if (file === '') return '';
  return readFileSync(join(folder, file), 'utf8').split('\n')[Number(line) - 1] ?? '';
}

/** The five numbers of the size, in thousandths, so that all of them are whole. */
export interface Factors {
  readonly households: string;
  readonly ebikes_per_100: string;
  readonly replaced_share: string;
  readonly battery_price: string;
  readonly reach: string;
}

/** As a decimal without trailing zeros: households x e-bikes / 100 x share / 100 x price x reach / 100. */
export function sizeOf(factors: Factors): string {
  const { households, ebikes_per_100, replaced_share, battery_price, reach } = factors;
  const all = [households, ebikes_per_100, replaced_share, battery_price, reach].map(thousandths);
  const product = all.reduce((made, one) => made * one, 1n);
  // Five factors of 10^3 each, and three hundreds: 21 places behind the point.
  const digits = String(product).padStart(22, '0');
  return `${digits.slice(0, -21)}.${digits.slice(-21)}`.replace(/\.?0+$/, '');
}

function thousandths(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  if (!/^\d+$/.test(whole) || !/^\d{0,3}$/.test(part)) throw new RangeError(`${decimal} has more than three places`);
  return BigInt(whole + part.padEnd(3, '0'));
}
