/** What models were paid for, in words. */

import type { Usage } from '../../wire/contract/index.ts';

/** Digits of money that are shown: the calls of one plan cost fractions of a cent. */
const MONEY_DIGITS = 6;

/** `4 model calls, 12,345 tokens read (2,000 of them cached), 678 written, cost 0.0123`; a cost without a price is not known. */
export function usageText({ calls, inputTokens, cachedInputTokens, outputTokens, cost }: Usage): string {
  const [read, cached, written] = [inputTokens, cachedInputTokens, outputTokens].map((one) =>
    one.toLocaleString('en-US'),
  );
  const known = cachedInputTokens === 0 ? '' : ` (${cached} of them cached)`;
  const money =
    cost === undefined
      ? 'cost not known: the model has no price under model.prices'
      : `cost ${Number(cost.toFixed(MONEY_DIGITS))}`;
  return `${calls} model call${calls === 1 ? '' : 's'}, ${read} tokens read${known}, ${written} written, ${money}`;
}
