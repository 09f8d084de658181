/** The pages that people read, and the blocks in them that they copy. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readSource } from './source-files.ts';

/** What stands between two fences. Its title is a file's name, or says how a block of commands is typed. */
export interface Block {
  readonly page: string;
  /** Of its first fence. */
  readonly line: number;
  readonly language: string;
  /**
   * Of `sh`: `first terminal` for what stays there, `script` for lines that need each other (all such of a page are one
   * script). Of anything else: the file that it is.
   */
  readonly title: string;
  readonly text: string;
}

const markdownIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'SKILL.md',
  ...markdownIn('docs'),
  ...readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => markdownIn(join('examples', name))),
];

export function blocksOf(page: string): readonly Block[] {
  const text = readSource(page);
  return [...text.matchAll(/^```(\w*) ?(.*)\n([^]*?)^```$/gm)].map((match) => {
    const [, language = '', title = '', content = ''] = match;
    return { page, line: text.slice(0, match.index).split('\n').length, language, title, text: content };
  });
}

/** The texts of a page's blocks in this language. */
export function textsOf(page: string, language: string): readonly string[] {
  return blocksOf(page)
    .filter((block) => block.language === language)
    .map(({ text }) => text);
}

/** What a person types of a block: a line may go on behind a backslash. Comments stay. */
export function linesOf({ text }: Block): readonly string[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** Lines that no test types, by their beginnings, each with its reason. */
export const NOT_TYPED: readonly (readonly [page: string, line: string, why: string])[] = [
  ['README.md', 'npm install && npm run demo', 'test/demos types every demo'],
  ['README.md', 'npm pack', 'test/package packs, and installs without a network'],
  ['README.md', 'npm install ../planwright/', 'test/package packs, and installs without a network'],
  ['README.md', 'npm install && npm test', 'it is what runs this test'],

  ['CONTRIBUTING.md', 'npm install ', 'it is how this checkout was made'],
  ['CONTRIBUTING.md', 'npm test ', 'it is what runs this test'],
  ['docs/agents.md', 'npx planwright run --goal', 'needs a model'],
  [
    'docs/control-room.md',
    'temporal workflow update execute -w orbit-1 --name NAME',
    'a form; the messages are read by test/demos',
  ],
  [
    'docs/control-room.md',
    'temporal workflow signal -w orbit-1 --name NAME',
    'a form; the messages are read by test/demos',
  ],
  ['docs/policies.md', 'npx planwright run --goal', 'needs the network'],
  ['docs/approval.md', 'npx vitest run', 'it is how tests are run'],
  ['docs/temporal.md', 'npx vitest run', 'it is how tests are run'],
  ['docs/undo.md', 'npx planwright ', 'names runs of the reader; test/workflows/undo.test.ts does the same'],
  ['docs/planning.md', 'npx planwright plan', 'needs a model'],
  ['docs/planning.md', 'npx planwright run --goal', 'needs a model'],
  ['docs/operations.md', 'npx planwright doctor', 'looks for a worker; test/cli/doctor.server.test.ts types it'],
  ['docs/control-room.md', 'kill -9 PID', 'names a process of the reader'],
  ['docs/control-room.md', 'npx planwright worker', 'stays; it is what `dev` of the page does with a server that runs'],
  ['docs/control-room.md', 'printf', 'moves a magnet of a run that the messages of the page bring there'],
  ['docs/control-room.md', 'grep -c', 'counts what the messages of the page have done, which test/demos sends'],
  ['docs/page.md', 'npx planwright serve', 'stays; test/page serves the page and visits it'],
  ['docs/demo.md', 'npm install', 'it is how this checkout was made'],
  ['docs/demo.md', 'npm run demo', 'test/demos types every demo'],
  ['docs/demo.md', 'npx planwright demo control-room', 'test/demos types every demo'],
  [
    'docs/demo.md',
    'npx planwright demo agents',
    'test/demos types every demo, and test/real-model this one with a model',
  ],
  ['docs/demo.md', 'npx planwright demo market-sizing', 'test/demos types every demo'],
  ['docs/demo.md', 'node scripts/model-server.mjs', 'sets up a model; npm run test:model does it'],
  ['docs/demo.md', 'bedtools', 'needs bedtools; test/demos/gene-strategies has its numbers'],
  ['docs/embedding.md', 'npm install', 'the package is put there from its tarball, with what it needs'],
  ['docs/mcp.md', 'npm install', 'the package is put there from its tarball, with what it needs'],
  ['docs/encryption.md', 'npx planwright codec', 'stays; test/cli/encryption.server.test.ts types it'],
  ['docs/encryption.md', 'temporal workflow show', 'asks the line above, as test/cli/encryption.server.test.ts does'],
  ['docs/encryption.md', 'npx planwright store copy', 'test/cli/encryption.server.test.ts types it, with the key'],
  ['docs/operations.md', 'PROJECT=', 'needs Docker; test/compose.test.ts reads the file'],
  ['docs/operations.md', 'npx planwright worker --deployment', 'stays; test/cli/builds.long.test.ts types it'],
  [
    'docs/operations.md',
    'temporal worker deployment',
    'needs the worker before it; test/cli/builds.long.test.ts has both',
  ],
  [
    'docs/operations.md',
    'npx planwright go-on booking-7',
    'names a run of the reader; test/cli/builds.long.test.ts types it',
  ],
  [
    'docs/operations.md',
    'temporal workflow signal --query',
    'is about every run of its build on the server; test/cli/builds.long.test.ts tells one',
  ],
  ['docs/operations.md', 'npm install @opentelemetry', 'brings packages that no test needs'],
  ['docs/operations.md', 'npx planwright store gc', 'needs a store; test/operations/upkeep does it'],
  ['docs/performance.md', 'npm run bench', 'measures for minutes, with peers that only bench installs'],
  ['docs/troubleshooting.md', 'npx planwright', 'a form: names a run of the reader'],
  ['docs/operations.md', 'export OTEL_EXPORTER_OTLP_ENDPOINT', 'belongs to the line below it'],
  [
    'docs/operations.md',
    "NODE_OPTIONS='--import @opentelemetry",
    'needs what it imports; test/activities/watched.test.ts has an SDK',
  ],
  [
    'docs/receipts.md',
    'npx planwright',
    'needs a signed run that has ended; test/cli/receipts.server.test.ts types it',
  ],
  ['docs/policies.md', 'npx planwright trace RUN', 'names a run of the reader; test/demos/market-sizing types it'],
];

export function whyNotTyped(page: string, line: string): string | undefined {
  return NOT_TYPED.find(([of, begins]) => of === page && line.startsWith(begins))?.[2];
}
