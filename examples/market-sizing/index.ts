/** Sizes a market by a policy: rules decide, a model where they cannot, a person tells what only people know. See README.md. */

import { fileURLToPath } from 'node:url';
import { defineConfig, type PlanwrightConfig } from 'planwright';
import { calculate, reflect } from 'planwright/capabilities';
import type { Demo, ModelServer } from '../stage/index.ts';
import { chosenModel, MAX_REPLY_TOKENS } from '../from-goal/index.ts';
import { paced } from '../stage/paced.ts';
import { MARKET_SCRIPT } from './market-script.ts';
import { EBIKE_BATTERIES } from './market.ts';
import { PAGES } from './pages.ts';
import { marketPolicy } from './policy/policy.ts';
import { searchText } from './search-text.ts';

interface MarketOptions {
  /** Pause before each task, in milliseconds, for the eye. Default 0. */
  readonly paceMs?: number;
  /** The file of the calls of its model. Default nowhere. */
  readonly modelFile?: string;
  /** The model to ask in the place of the scripted one, which knows one market and nothing else. */
  readonly model?: ModelServer;
}

export const demo: Demo = {
  name: 'market-sizing',
  question:
    'A policy sizes a market from eleven pages, three answers of a person and one calculation, and its worker dies on the way. ' +
    'Is every number where its source says it is, and is the size what the numbers make?',
  planFile: fileURLToPath(new URL('./plan.json', import.meta.url)),
  config: createConfig(),
  createConfig,
  loadStory: async () => (await import('./story/story.ts')).tellMarket,
};

/** The configuration of a worker for this demo. */
export function createConfig({ paceMs = 0, modelFile, model: server }: MarketOptions = {}): PlanwrightConfig {
  return defineConfig({
    capabilities: [searchText(PAGES), calculate, reflect].map((one) => paced(one, paceMs)),
    // Its types were checked where it was defined; the config takes any.
    policy: marketPolicy(EBIKE_BATTERIES),
    model: chosenModel({ answers: MARKET_SCRIPT, paceMs, modelFile, server }),
    ...(server !== undefined && { planner: { model: { maxTokens: MAX_REPLY_TOKENS } } }),
  });
}
