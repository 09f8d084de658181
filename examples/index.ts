/**
 * The demos there are, and how one is told. A new one is a folder beside this file, a line in this list and its name in
 * `src/config/project/examples.ts`.
 */

import type { Backstage, Demo, Output, StoryEnd, TellOptions } from './stage/index.ts';

export interface ListedDemo {
  readonly name: string;
  readonly title: string;
  /** The person at the terminal decides; where there is none, the demo approves by itself. */
  readonly asks: boolean;
  /** Whether it asks a model: always, where it is to begin with the goal alone, or never. */
  readonly planner: 'always' | 'from-goal' | 'none';
  /** Whether it has a story that begins with words and decides one step after the other, with a scripted model. */
  readonly reactive?: true;
  /** A list of the demos loads none of them. */
  load(): Promise<Demo>;
}

export const DEMOS: readonly ListedDemo[] = [
  {
    name: 'gene-strategies',
    title: 'A gene search strategy on human chromosome 1, with a worker killed in mid-run',
    asks: true,
    planner: 'from-goal',
    load: async () => (await import('./gene-strategies/index.ts')).demo,
  },
  {
    name: 'control-room',
    title: 'Three scripted people, hardware that is written to once, a killed worker and a broken line',
    asks: false,
    planner: 'none',
    reactive: true,
    load: async () => (await import('./control-room/index.ts')).demo,
  },
  {
    name: 'agents',
    title: 'A scripted planner, two researchers and a writer, and a worker killed with replies in its hands',
    asks: true,
    planner: 'always',
    load: async () => (await import('./agents/index.ts')).demo,
  },
  {
    name: 'market-sizing',
    title:
      'A market sized by a policy: rules first, then a scripted model; a source for every number, and a killed worker',
    asks: false,
    planner: 'always',
    load: async () => (await import('./market-sizing/index.ts')).demo,
  },
];

/** @throws StoryError, and an error of `backstage` where no server can be had. */
export async function play(
  { load }: ListedDemo,
  options: TellOptions,
  output: Output,
  backstage: Backstage,
): Promise<StoryEnd['ended']> {
  const { play: tell } = await import('./stage/play.ts');
  return tell(await load(), options, output, backstage);
}
