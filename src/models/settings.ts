/** The settings of a model server: those that a project sets, and the defaults. */

import { MODEL_APIS, MODEL_FORMATS, type FormatSupport, type ModelApi } from '../protocol/index.ts';
import { describeValue } from '../plan/text/index.ts';
import type { CallLine } from './call-line.ts';
import type { Prices } from './prices.ts';
import { wireProblem, type WireSettings } from './wire-settings.ts';

/** The settings of `openAIClient`: the server and its model, the bounds of a call, and the prices. */
export interface OpenAISettings extends WireSettings {
  /**
   * The address of any server that speaks the protocol, with its `/v1`. Default: OpenAI's own. Takes no user or
   * password.
   */
  readonly baseURL?: string;
  /** Default none, for a local server. */
  readonly apiKey?: string;
  /** The model. */
  readonly name: string;
  readonly api: ModelApi;
  readonly format: FormatSupport;
  readonly prices?: Prices;
  readonly timeout?: {
    /** The bound of a whole call, in milliseconds. Default 10 minutes. */
    readonly totalMs?: number;
    /** Between two pieces of an answer, and before the first, in milliseconds. Default 3 minutes, at most 290 s. */
    readonly idleMs?: number;
  };
  /** The most bytes that the model may write in one reply: texts and calls. Default 8 MiB, at most 64 MiB. */
  readonly replyBytes?: number;
  /** The line in which calls wait for each other. Default: a line of its own, of 8 calls at once. */
  readonly line?: CallLine;
}

/** The time-out of OpenAI's client. A call is tried again from the beginning, so that this bounds what is lost. */
export const TOTAL_MS = 10 * 60 * 1000;
/** Models that think say nothing meanwhile; a server that has hung says nothing for ever. */
export const IDLE_MS = 3 * 60 * 1000;
/** After 300 s of silence Node's own fetch gives up, and nothing here can tell it to wait. */
export const MAX_IDLE_MS = 290 * 1000;
/** A timer of Node that is set to more than this fires at once. */
export const MAX_TOTAL_MS = 2_147_483_647;

/** Many times what any model writes; a server that repeats itself for ever must not fill the memory of a worker. */
export const REPLY_BYTES = 8 * 1024 * 1024;
/** Pieces are held as texts, beside what has been read of them. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** @throws TypeError that names the setting; it is a mistake of the program or its config, found at its start. */
export function checkSettings(settings: OpenAISettings): void {
  const { baseURL, apiKey, name, api, format, prices = {}, timeout = {}, replyBytes = REPLY_BYTES } = settings;
  const { totalMs = TOTAL_MS, idleMs = IDLE_MS } = timeout;
  const check = (holds: boolean, what: string, expected: string, ...shown: readonly unknown[]): void => {
    const is = shown.length === 0 ? 'does not fit' : `is ${describeValue(shown[0])}`;
    if (!holds) throw new TypeError(`model.${what} ${is}; expected ${expected}`);
  };
  check(typeof name === 'string' && name.trim() !== '', 'name', 'the name of a model', name);
  check(MODEL_APIS.includes(api), 'api', MODEL_APIS.join(' or '), api);
  check(MODEL_FORMATS.includes(format), 'format', MODEL_FORMATS.join(', '), format);
  // Neither an address nor a key is shown: where they do not fit, either may hold a secret.
  check(baseURL === undefined || isAddress(baseURL), 'baseURL', 'http(s)://host/v1, with no user, password or query');
  check(apiKey === undefined || /^[\x21-\x7e]+$/.test(apiKey), 'apiKey', 'visible ASCII characters and no spaces');
  check(isMs(totalMs, MAX_TOTAL_MS), 'timeout.totalMs', `1 to ${MAX_TOTAL_MS}`, totalMs);
  check(isMs(idleMs, MAX_IDLE_MS), 'timeout.idleMs', `1 to ${MAX_IDLE_MS}`, idleMs);
  const isSize = Number.isSafeInteger(replyBytes) && replyBytes >= 1 && replyBytes <= MAX_REPLY_BYTES;
  check(isSize, 'replyBytes', `a whole number from 1 to ${MAX_REPLY_BYTES}`, replyBytes);
  const problem = wireProblem(settings, (value) => isText((value as { secret?: unknown } | null)?.secret));
  if (problem !== undefined) throw new TypeError(`model.${problem.join(': ')}`);
  for (const [model, price] of Object.entries(prices)) {
    check('input' in price && 'output' in price, `prices.${model}`, 'input and output, per million tokens', price);
    for (const [what, amount] of Object.entries(price) as [string, unknown][]) {
      const holds = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0;
      check(holds, `prices.${model}.${what}`, 'a number from 0, per million tokens', amount);
    }
  }
}

/** As a header takes it. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);
}

function isMs(value: number, most: number): boolean {
  return value >= 1 && value <= most;
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && search === '';
}
