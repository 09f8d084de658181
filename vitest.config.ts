import { defineConfig } from 'vitest/config';
import { PATIENCE } from './test/support/eventually.ts';

/** Tests that need a Temporal server. They share the one that test/support/global-setup.ts starts. */
const LONG = ['test/long/**/*.test.ts', 'test/**/*.long.test.ts'];
/** Short in `npm test`, whole in `npm run test:long`. */
const BOTH = ['test/pages/typed.server.test.ts', 'test/page/people.server.test.ts'];
/** What a stranger sees of runs, compared with what is in git: `npm run test:record`. */
const RECORD = 'test/record/**/*.test.ts';
const FAULTS = 'test/faults/scenarios/**/*.test.ts';
/** Tests that need a real model: `npm run test:model` starts one, and sets it up where it is missing. */
const MODEL = 'test/real-model/**/*.test.ts';
const HOSTILE_SHORT = ['control', 'edit'].map((name) => `test/workflows/${name}.test.ts`);
const needsServer = [
  'test/workflows/*.test.ts',
  'test/replay/**/*.test.ts',
  'test/crash/**/*.test.ts',
  'test/demos/*.test.ts',
  'test/**/*.server.test.ts',
];

/** They take a minute or more in any form. */
const ONLY_LONG = [
  'capabilities',
  'claim',
  'engine',
  'failover',
  'keeping',
  'messages',
  'notifications',
  'outage',
  'queries',
  'store',
  'upgrade',
];
/** A file of a minute, which `npm run test:parts` runs with the others. */
const PARTS_LONG = 'test/workflows/parts-hostile.test.ts';
/** The tests that parts change most. */
const PARTS_SHORT = ['run', 'control', 'edit', 'continue'].map((name) => `test/workflows/${name}.test.ts`);
/** Ends what hangs. A test on a quiet machine takes seconds; a busy one may be many times slower. */
const PATIENCE_MS = 180_000;

export default defineConfig({
  // The examples import the package by its name.
  resolve: { tsconfigPaths: true },
  test: {
    // The native Temporal bridge and the server tests' child processes do not mix with worker threads.
    pool: 'forks',
    // A process of its own for each file, with the packages read anew, takes longer than the tests of many (`isolate`).
    // Tests on a server wait for it half of their time: three files at once keep two cores busy.
    maxWorkers: 3,
    tags: [
      {
        name: 'slow',
        description: 'Waits or works for many seconds; `npm run test:slow` runs it, `npm test` does not.',
      },
    ],
    expect: { poll: PATIENCE },
    setupFiles: ['test/support/own-environment.ts'],
    // Whoever starts the tests, and from where, is no part of the commands that hints tell to type.
    env: { npm_command: 'exec' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...needsServer, ...LONG, RECORD, FAULTS, MODEL],
          globalSetup: ['test/support/build.ts'],
          isolate: false,
          testTimeout: PATIENCE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          isolate: false,
          include: needsServer,
          exclude: [PARTS_LONG, ...LONG],
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [...LONG, ...BOTH],
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          // Of the whole suite of stores, on a real server, a test takes minutes on a busy machine.
          testTimeout: 5 * PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'record',
          isolate: false,
          include: [RECORD],
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: 2 * PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'model',
          include: [MODEL],
          // There is one model, which answers one request at a time.
          fileParallelism: false,
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: 120_000,
        },
      },
      // The same scenarios: `faults` in full, with three seeds, and a short form that is part of `npm test`.
      ...['faults', 'faults-short'].map((name) => ({
        extends: true as const,
        test: {
          name,
          isolate: false,
          include: [FAULTS],
          ...(name === 'faults-short' && { exclude: ONLY_LONG.map((one) => `test/faults/scenarios/${one}.test.ts`) }),
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: name === 'faults' ? 900_000 : 180_000,
          hookTimeout: 120_000,
        },
      })),
      // The same runs with histories of a few nodes, no cache and one slot: whatever depends on being left alone fails.
      // `hostile-short`, which is part of `npm test`, runs what such a worker changes most.
      ...['hostile', 'hostile-short'].map((name) => ({
        extends: true as const,
        test: {
          name,
          isolate: false,
          include: name === 'hostile' ? ['test/workflows/*.test.ts'] : HOSTILE_SHORT,
          // What a step costs is no question of how hostile its worker is.
          exclude: ['test/workflows/agent-length.test.ts'],
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: 2 * PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      })),
      // The same runs with reads and set operators that go together.
      ...['parts', 'parts-short'].map((name) => ({
        extends: true as const,
        test: {
          name,
          isolate: false,
          include: name === 'parts' ? ['test/workflows/*.test.ts'] : PARTS_SHORT,
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      })),
    ],
  },
});
