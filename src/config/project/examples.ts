/**
 * The demos: example projects, each with a story. They are outside of src and use only the package's public exports,
 * so they are found by path at run time.
 */

import type { PlanwrightConfig } from '../index.ts';

/** In list order. */
export const DEMO_NAMES = ['gene-strategies', 'control-room', 'agents', 'market-sizing'] as const;

/** As in `examples/index.ts`. */
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
  /** Runs a demo with `src/cli/backstage.ts`. */
  play(
    demo: ListedDemo,
    options: object,
    output: object,
    backstage: object,
  ): Promise<'done' | 'badOutcome' | 'rejected'>;
}

/** Tests and benches run the sources, everybody else `dist`. */
const EXAMPLES = new URL(
  import.meta.url.endsWith('.ts') ? '../../../examples/index.ts' : '../../examples/index.js',
  import.meta.url,
);

export function loadExamples(): Promise<Examples> {
  return import(EXAMPLES.href) as Promise<Examples>;
}

export type FoundDemo =
  | { readonly ok: true; readonly demo: ListedDemo }
  /** `message` lists the demos. */
  | { readonly ok: false; readonly message: string };

export async function findDemo(name: string): Promise<FoundDemo> {
  const { DEMOS } = await loadExamples();
  const demo = DEMOS.find((one) => one.name === name);
  if (demo !== undefined) return { ok: true, demo };
  return { ok: false, message: `there is no demo "${name}"; known are ${DEMO_NAMES.join(', ')}` };
}
