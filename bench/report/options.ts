/** The command line of the bench beside other engines. */

import { parseArgs } from 'node:util';

export interface PeersOptions {
  readonly rounds: number;
  /** Measures on a machine that says little. */
  readonly noisy: boolean;
  /** With the cases that take minutes to an hour. */
  readonly large: boolean;
  /** The cases and the engines whose names contain one of these words; all without. */
  readonly only: readonly string[];
  readonly engine: readonly string[];
  /** Options of the engines; those that do not know one pass it over. */
  readonly given: { readonly lane?: string; readonly 'at-once'?: number };
}

const LANES = ['parts', 'visible', 'auto'];

/** @returns the options, or the problem and the way to say it right. */
export function readOptions(args: readonly string[]): PeersOptions | { readonly problem: string } {
  const usage = 'expected [rounds] [--noisy] [--large] [--only CASE] [--engine NAME] [--lane LANE] [--at-once N]';
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        noisy: { type: 'boolean', default: false },
        large: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        engine: { type: 'string', multiple: true, default: [] },
        lane: { type: 'string' },
        'at-once': { type: 'string' },
      },
    });
    const { lane, 'at-once': atOnce, ...rest } = values;
    const [rounds = '5', ...more] = positionals;
    if (more.length > 0) return { problem: `"${more[0]}" is one word too many; ${usage}` };
    if (!isCount(rounds)) return { problem: `"${rounds}" is no number of rounds; ${usage}` };
    if (atOnce !== undefined && !isCount(atOnce)) return { problem: `--at-once is "${atOnce}"; expected such as 1000` };
    if (lane !== undefined && !LANES.includes(lane)) {
      return { problem: `--lane is "${lane}"; expected ${LANES.join(', ')}` };
    }
    const given = {
      ...(lane !== undefined && { lane }),
      ...(atOnce !== undefined && { 'at-once': Number(atOnce) }),
    };
    return { ...rest, rounds: Number(rounds), given };
  } catch (error) {
    return { problem: `${(error as Error).message}; ${usage}` };
  }
}

function isCount(word: string): boolean {
  return /^[1-9]\d*$/.test(word);
}
