import { defineConfig } from 'vitest/config';

/** Tests that need a Temporal server. They share the one that test/support/global-setup.ts starts. */
const LONG = 'test/long/**/*.test.ts';
const FAULTS = 'test/faults/scenarios/**/*.test.ts';
const needsServer = [
  'test/workflows/**/*.test.ts',
  'test/replay/**/*.test.ts',
  'test/crash/**/*.test.ts',
  'test/demos/**/*.test.ts',
  'test/**/*.server.test.ts',
];

export default defineConfig({
  test: {
    // The native Temporal bridge and the server tests' child processes do not mix with worker threads.
    pool: 'forks',
    // The Temporal server, its worker and the test share the machine; more files at once only make each slower.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...needsServer, LONG, FAULTS],
          globalSetup: ['test/support/build.ts'],
          // A process of its own for each of these files would take longer than its tests.
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: needsServer,
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: [LONG], globalSetup: ['test/support/global-setup.ts'] },
      },
      // The same scenarios: `faults` in full, with three seeds, and a short form that is part of `npm test`.
      ...['faults', 'faults-short'].map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [FAULTS],
          // It only measures, in the long form.
          ...(name === 'faults-short' && { exclude: ['test/faults/scenarios/failover.test.ts'] }),
          globalSetup: ['test/support/build.ts', 'test/support/global-setup.ts'],
          testTimeout: name === 'faults' ? 900_000 : 180_000,
          hookTimeout: 120_000,
        },
      })),
      {
        // The same runs with histories of a few nodes, no cache and one slot: whatever depends on being left alone fails.
        extends: true,
        test: {
          name: 'hostile',
          include: ['test/workflows/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
