/** The demos there are. A new one is a folder beside this file and a line in this list. */

import type { Demo } from '../stage/index.ts';

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

/** The program that the workers of every demo run. */
export const WORKER_ENTRY = new URL(
  `./worker-process.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
);

export type FoundDemo =
  | { readonly ok: true; readonly demo: ListedDemo }
  /** The message names the demos there are. */
  | { readonly ok: false; readonly message: string };

export function findDemo(name: string): FoundDemo {
  const demo = DEMOS.find((one) => one.name === name);
  if (demo !== undefined) return { ok: true, demo };
  return { ok: false, message: `there is no demo "${name}"; known are ${DEMOS.map((one) => one.name).join(', ')}` };
}
