import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { ROOT } from './support/source-files.ts';

/** Measured 747 kB, 600 kB of it the SDK. Every cached run holds a copy of what the bundle sets up. */
const MOST_CODE = 800_000;
const MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

const bundle = readFileSync(inject('bundlePath'), 'utf8');
const [code = '', map = ''] = bundle.split(MAP);

test(`the workflow bundle has at most ${MOST_CODE} bytes of code`, () => {
  expect(code.length).toBeGreaterThan(100_000);
  expect(code.length).toBeLessThan(MOST_CODE);
});

test('the workflow bundle is made of our sandbox rooms and the SDK', () => {
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString()) as { readonly sources: readonly string[] };
  const origins = new Set(sources.filter((source) => !source.startsWith('webpack/')).map(originOf));
  expect([...origins].toSorted()).toEqual([
    '@temporalio/common',
    '@temporalio/workflow',
    'long',
    'ms',
    'nexus-rpc',
    'src/document',
    'src/run',
    'src/text',
    'src/workflows',
  ]);
});

/** The package or the room of a bundled file. */
function originOf(source: string): string {
  const inPackage = /.*\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(source)?.[1];
  return inPackage ?? source.slice(ROOT.length).split('/').slice(0, 2).join('/');
}
