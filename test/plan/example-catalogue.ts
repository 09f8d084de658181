import type { Catalogue, Executor } from '../../src/plan/index.ts';

export interface ExampleCatalogue {
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  readonly defaultExecutor?: Executor;
  /** Paths that every set of arguments is told to be wrong at. */
  readonly problems?: readonly (readonly (string | number)[])[];
}

/** A catalogue whose executors read, have version 1 and find exactly these problems in any arguments. */
export function exampleCatalogue({ problems = [], ...example }: ExampleCatalogue): Catalogue {
  return {
    ...example,
    executor(kind, name) {
      const names = kind === 'agent' ? example.agents : example.capabilities;
      return names.includes(name) ? { kind, name, version: '1', effect: 'read' } : undefined;
    },
    checkArguments: () => problems.map((path) => ({ path, message: 'It does not fit.' })),
  };
}
