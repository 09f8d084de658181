/** The market of this demo, as far as it is known beforehand. */

import type { Market } from './policy/policy.ts';

export const GOAL = 'Size the market for replacement batteries of e-bikes in one region, bottom-up';

const text = { kind: 'text', prefer: 'user' } as const;
const onPages = { kind: 'number', prefer: 'web' } as const;

export const QUESTIONS = {
  region: 'Which region is the market in?',
  currency: 'In which currency should the size be told? Three letters, such as EUR.',
  reach: 'Which share of the region can you serve, in percent?',
} as const;

/** How many batteries are sold is left to the model to take apart, and the change of the price to find the words for. */
export const EBIKE_BATTERIES: Market = {
  target: 'market_size',
  fields: {
    'core.region': { ...text, title: 'Region', question: QUESTIONS.region },
    'core.currency': {
      ...text,
      title: 'Currency',
      question: QUESTIONS.currency,
      pattern: '[A-Z]{3}',
      suggestions: ['EUR', 'SEK'],
    },
    market_size: {
      ...onPages,
      title: 'Market in a year',
      derived: true,
      money: true,
      decomposition: {
        expression: 'batteries_a_year * battery_price * reach / 100',
        components: {
          batteries_a_year: { ...onPages, title: 'Replacement batteries sold in a year', derived: true, least: 0 },
          battery_price: {
            ...onPages,
            title: 'Average price of a replacement battery',
            money: true,
            queries: ['average price of a replacement battery'],
            question: 'What does a replacement battery cost on average?',
            least: 1,
            most: 10_000,
          },
          reach: {
            ...{ kind: 'number', prefer: 'user' },
            title: 'Share of the region that can be served',
            unit: '%',
            question: QUESTIONS.reach,
            suggestions: ['25', '50', '100'],
            least: 0,
            most: 100,
          },
        },
      },
    },
    price_change: {
      ...onPages,
      title: 'Change of the price of a battery in a year',
      unit: '%',
      wanted: true,
      least: -100,
      most: 100,
    },
  },
};
