import type { ModelRequest, ModelUsage } from './model-client.ts';

/** Prices per million tokens, in one currency for the whole project. `cachedInput` defaults to `input`. */
export interface Price {
  readonly input: number;
  readonly cachedInput?: number;
  readonly output: number;
}

/** Prices by the name of the model in requests or replies. */
export type Prices = Readonly<Record<string, Price>>;

/** Computes the cost of tokens, or undefined without a price, since an unknown cost is not zero. */
export function costOf(
  { inputTokens, cachedInputTokens, outputTokens }: Omit<ModelUsage, 'calls'>,
  price: Price | undefined,
): number | undefined {
  if (price === undefined) return undefined;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { input, cachedInput = input, output } = price;
  return ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / 1_000_000;
}

export function priceOf(prices: Prices = {}, ...names: readonly string[]): Price | undefined {
  const name = names.find((one) => Object.hasOwn(prices, one));
  return name === undefined ? undefined : prices[name];
}

/** The average characters per token in English text, for tests and for servers that report no numbers. */
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the usage of a call: characters / 4, rounded up. */
export function estimateUsage({ messages }: ModelRequest, written: string): ModelUsage {
  const read = messages.reduce((sum, { content }) => sum + content.length, 0);
  const [inputTokens, outputTokens] = [read, written.length].map((length) => Math.ceil(length / CHARACTERS_PER_TOKEN));
  return { inputTokens: inputTokens!, cachedInputTokens: 0, outputTokens: outputTokens!, calls: 1, reckoned: true };
}
