/** The usage of models, in words. */

import type { Usage } from 'planwright/client';
import { grouped } from '../words.ts';

/** @example usageText({ calls: 2, inputTokens: 1200, cachedInputTokens: 0, outputTokens: 80 }) // '2 model calls, 1,200 + 80 tokens' */
export function usageText({ calls, inputTokens, outputTokens, cost }: Usage): string {
  const money = cost === undefined ? '' : `, ${cost}`;
  return `${calls} model call${calls === 1 ? '' : 's'}, ${grouped(inputTokens)} + ${grouped(outputTokens)} tokens${money}`;
}
