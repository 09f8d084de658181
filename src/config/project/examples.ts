/**
 * The demos: examples of projects, each with a story. They lie outside of the sources and use the doors of the package alone, so
 * that they are found by their path at run time, beside the code that is run.
 */

import type { PlanwrightConfig } from '../index.ts';

/** In the order in which they are listed. */
export const DEMO_NAMES = ['gene-strategies', 'control-room', 'agents', 'market-sizing'] as const;

/** As `examples/index.ts` lists it. */
export interface ListedDemo {
  readonly name: string;
  readonly title: string;
  readonly asks: boolean;
  readonly planner: 'always' | 'from-goal' | 'none';
  readonly reactive?: true;
  load(): Promise<{ readonly config: PlanwrightConfig }>;
}

interface Examples {
  readonly DEMOS: readonly ListedDemo[];
  /** Tells the story of a demo, with what `src/cli/backstage.ts` gives to it. */
  play(
    demo: ListedDemo,
    options: object,
    output: object,
    backstage: object,
  ): Promise<'done' | 'badOutcome' | 'rejected'>;
}

/** The sources are run by tests and benches, and `dist` by everybody else. */
const EXAMPLES = new URL(
  import.meta.url.endsWith('.ts') ? '../../../examples/index.ts' : '../../examples/index.js',
  import.meta.url,
);

export function loadExamples(): Promise<Examples> {
  return import(EXAMPLES.href) as Promise<Examples>;
}

export type FoundDemo =
  | { readonly ok: true; readonly demo: ListedDemo }
  /** The message names the demos there are. */
  | { readonly ok: false; readonly message: string };

export async function findDemo(name: string): Promise<FoundDemo> {
  const { DEMOS } = await loadExamples();
  const demo = DEMOS.find((one) => one.name === name);
  if (demo !== undefined) return { ok: true, demo };
  return { ok: false, message: `there is no demo "${name}"; known are ${DEMO_NAMES.join(', ')}` };
}
