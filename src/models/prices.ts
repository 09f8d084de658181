import type { ModelRequest, ModelUsage } from './model-client.ts';

/**
 * Per million tokens, in one currency for the whole project. `cachedInput` is the price of cached input; default as
 * `input`.
 */
export interface Price {
  readonly input: number;
  readonly cachedInput?: number;
  readonly output: number;
}

/** The prices by the model's name in requests or replies. */
export type Prices = Readonly<Record<string, Price>>;

/** The cost of the tokens; undefined without a price, since unknown is not free. */
export function costOf(
  { inputTokens, cachedInputTokens, outputTokens }: Omit<ModelUsage, 'calls'>,
  price: Price | undefined,
): number | undefined {
  if (price === undefined) return undefined;
  // Some servers report more cached tokens than tokens.
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { input, cachedInput = input, output } = price;
  return ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / 1_000_000;
}

/** The price of a model by one of its names; the first match counts. */
export function priceOf(prices: Prices = {}, ...names: readonly string[]): Price | undefined {
  const name = names.find((one) => Object.hasOwn(prices, one));
  return name === undefined ? undefined : prices[name];
}

/** English text has about four characters per token; good enough for tests and for servers that report nothing. */
const CHARACTERS_PER_TOKEN = 4;

/** The estimated usage of a call: characters / 4, rounded up. */
export function estimateUsage({ messages }: ModelRequest, written: string): ModelUsage {
  const read = messages.reduce((sum, { content }) => sum + content.length, 0);
  const [inputTokens, outputTokens] = [read, written.length].map((length) => Math.ceil(length / CHARACTERS_PER_TOKEN));
  return { inputTokens: inputTokens!, cachedInputTokens: 0, outputTokens: outputTokens!, calls: 1, reckoned: true };
}
