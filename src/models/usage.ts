/** The usage that a server tells of a call, in the forms in which servers write it. */

import { z } from 'zod';
import type { ModelUsage } from './model-client.ts';

/** The most tokens of one call, so that the sums of a run stay exact. */
export const MAX_TOKENS = 1_000_000_000;
export const tokens = z.int().min(0).max(MAX_TOKENS);
/** The most that one call may cost, in the currency of the server: a larger sum is a mistake, and would use up any budget. */
const MAX_COST = 10_000;

const count = tokens.nullish();
const details = z.object({ cached_tokens: count }).nullish();
/** A number that only few servers tell; where it does not fit it is not told. */
const rare = (most: number) => z.number().min(0).max(most).nullish().catch(null);
const thoughts = z
  .object({ reasoning_tokens: rare(MAX_TOKENS) })
  .nullish()
  .catch(null);

/** The names of chat completions, of the Responses API and Anthropic's, and of DeepSeek; `cost` is OpenRouter's. */
export const Told = z.object({
  ...{ prompt_tokens: count, completion_tokens: count, prompt_tokens_details: details, prompt_cache_hit_tokens: count },
  ...{ input_tokens: count, output_tokens: count, input_tokens_details: details },
  ...{ cache_read_input_tokens: count, cache_creation_input_tokens: count },
  completion_tokens_details: thoughts,
  output_tokens_details: thoughts,
  total_tokens: rare(2 * MAX_TOKENS),
  cost: rare(MAX_COST),
});

/** Tokens as they were told; the cost where the server tells one. */
export type ToldTokens = Pick<ModelUsage, 'inputTokens' | 'cachedInputTokens' | 'outputTokens' | 'cost'>;

/** Undefined where the server tells no tokens: one that tells 0 of a whole call has not counted. */
export function tokensOf(told: z.output<typeof Told> | null | undefined): ToldTokens | undefined {
  const { prompt_tokens, completion_tokens, input_tokens, output_tokens, total_tokens, cost } = told ?? {};
  const [read, written] = [prompt_tokens ?? input_tokens, completion_tokens ?? output_tokens];
  if (told == null || read == null || written == null || read + written === 0) return undefined;
  const { cache_read_input_tokens: reread, cache_creation_input_tokens: kept } = told;
  // Anthropic counts beside its input what is read from a cache, and what is written to one.
  const input = Math.min(read + (prompt_tokens == null ? (reread ?? 0) + (kept ?? 0) : 0), MAX_TOKENS);
  const cached = told.prompt_tokens_details?.cached_tokens ?? told.input_tokens_details?.cached_tokens;
  // Thoughts are part of the reply. Gemini counts them in the total alone, xAI beside the reply.
  const { reasoning_tokens: thought } = told.completion_tokens_details ?? told.output_tokens_details ?? {};
  const beside = Math.max(prompt_tokens == null ? 0 : (total_tokens ?? 0) - read - written, 0);
  const output = written + ((thought ?? 0) > written ? (thought ?? 0) : beside);
  return {
    inputTokens: input,
    cachedInputTokens: Math.min(cached ?? told.prompt_cache_hit_tokens ?? reread ?? 0, input),
    outputTokens: Math.min(output, MAX_TOKENS),
    ...(cost != null && { cost }),
  };
}
