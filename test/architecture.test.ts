/** The law of the house: which room imports what, no circles, names, lengths, and how the workflow sandbox starts activities. */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NODE_KINDS } from '../src/protocol/index.ts';
import {
  codeBelow,
  filesBelow,
  importsOf,
  reachedFrom,
  readCode,
  readSource,
  type Import,
} from './support/source-files.ts';

type Place = 'anywhere' | 'sandbox' | 'Node';

/** A room of a floor: where its code runs, and packages it may use (`node:` for Node's own). */
interface Room {
  readonly runs: Place;
  readonly packages: readonly string[] | 'any';
}

/** From the ground up. A room imports, types included, from rooms of floors below its own and from those before it on its floor. */
const FLOORS: { readonly [floor: string]: { readonly [room: string]: Room } } = {
  language: {
    'language/text': { runs: 'anywhere', packages: [] },
    'language/outline': { runs: 'anywhere', packages: [] },
    'language/lines': { runs: 'anywhere', packages: ['get-east-asian-width'] },
    'language/algebra': { runs: 'anywhere', packages: [] },
    'language/plan': { runs: 'anywhere', packages: ['@noble/hashes', 'htmlparser2', 'jsonrepair', 'yaml'] },
  },
  wire: {
    'wire/contract': { runs: 'anywhere', packages: [] },
    'wire/identity/token': { runs: 'anywhere', packages: ['@noble/ed25519', '@noble/hashes', '@scure/base'] },
    'wire/identity': { runs: 'Node', packages: ['jose', 'node:'] },
    'wire/encryption': { runs: 'Node', packages: ['@temporalio/common', 'protobufjs', 'node:'] },
    'wire/results': { runs: 'Node', packages: ['node:', 'pg', '@aws-sdk/client-s3'] },
  },
  engine: {
    'engine/run': { runs: 'anywhere', packages: [] },
    'engine/workflows': { runs: 'sandbox', packages: ['@temporalio/workflow', '@temporalio/common'] },
  },
  model: { model: { runs: 'Node', packages: ['zod', 'node:'] } },
  define: {
    'define/policy': { runs: 'anywhere', packages: [] },
    define: { runs: 'Node', packages: ['zod', 'node:'] },
  },
  loop: { loop: { runs: 'Node', packages: ['zod', 'node:'] } },
  builtin: {
    'builtin/drafts': { runs: 'Node', packages: ['node:'] },
    builtin: {
      runs: 'Node',
      packages: ['zod', 'htmlparser2', 'mathjs', 'minisearch', '@modelcontextprotocol/client', 'node:'],
    },
  },
  worker: {
    'worker/activities': { runs: 'Node', packages: ['@temporalio/activity', '@temporalio/client', 'node:'] },
    'worker/plugin': { runs: 'Node', packages: ['@temporalio/worker', 'node:'] },
  },
  edge: {
    'edge/client': {
      runs: 'Node',
      packages: ['@temporalio/client', '@temporalio/common', '@temporalio/envconfig', '@temporalio/proto', 'node:'],
    },
    'edge/config': { runs: 'Node', packages: ['jiti', 'zod', 'node:'] },
    'edge/own-worker': {
      runs: 'Node',
      packages: ['@temporalio/worker', '@temporalio/envconfig', '@opentelemetry/api', 'node:'],
    },
    'edge/dev-server': { runs: 'Node', packages: ['@temporalio/client', '@temporalio/testing', 'node:'] },
    'edge/project': { runs: 'Node', packages: ['@temporalio/client', 'node:'] },
    'edge/upkeep': { runs: 'Node', packages: ['@temporalio/client', '@temporalio/common', 'node:'] },
  },
  evaluation: { evaluation: { runs: 'Node', packages: ['zod', 'yaml', 'node:'] } },
  operations: {
    operations: { runs: 'Node', packages: 'any' },
    'operations/words': { runs: 'Node', packages: [] },
  },
  page: { page: { runs: 'Node', packages: ['hono', '@hono/node-server', 'd3-hierarchy', 'node:'] } },
  mcp: { mcp: { runs: 'Node', packages: ['@modelcontextprotocol/server', 'zod', 'node:'] } },
  cli: { 'cli/terminal': { runs: 'Node', packages: ['node:'] }, cli: { runs: 'Node', packages: 'any' } },
  /** The doors of the package: the files at the top of src. */
  doors: { '': { runs: 'Node', packages: [] } },
};

const ROOMS: ReadonlyMap<string, Room & { readonly floor: string; readonly height: number }> = new Map(
  Object.entries(FLOORS)
    .flatMap(([floor, rooms]) => Object.entries(rooms).map(([name, room]) => ({ floor, name, room })))
    .map(({ floor, name, room }, height) => [name, { ...room, floor, height }]),
);
/** A floor that may not see the one below it: planning and deciding know of no capability that comes with the product. */
const APART: readonly (readonly [string, string])[] = [['builtin', 'loop']];
const PURE_PARTS = ['language/plan/document'];

/** Folders of a room that have a door as well, and which of them each may enter. */
const FOLDERS: { readonly [folder: string]: readonly string[] } = {
  'cli/commands': ['cli/reading', 'cli/running', 'cli/starting', 'cli/view', 'cli/working'],
  'cli/running': ['cli/reading', 'cli/view', 'cli/working'],
  'cli/working': [],
  'cli/starting': ['cli/reading'],
  'cli/reading': [],
  'cli/view': [],
};

const ENVIRONMENT_READERS = ['cli', 'cli/terminal', 'edge/own-worker', 'edge/config', 'edge/dev-server'];
const FORBIDDEN_NAME = /(^|[-._])(core|shared|commons?|utils?|helpers?|managers?|data|info)([-._]|$)/i;
const MOST_LINES = 400;
const MANY_LINES = 250;

const sources = codeBelow('src');
const imports = sources.flatMap(importsOf);
const doors = new Set(sources.filter((file) => file.endsWith('/index.ts')));
const names = [...ROOMS.keys()].toSorted((one, other) => other.length - one.length);
/** The innermost room that a path of src lies in. */
const roomOf = (path: string): string => names.find((name) => name !== '' && path.startsWith(`src/${name}/`)) ?? '';

test('every file lies in a room, at most 15 folders stand at the top, and the doors are files', () => {
  const top = [...new Set(sources.map((file) => file.split('/')[1] ?? ''))];
  expect(
    top.filter((name) => !name.endsWith('.ts') && ![...ROOMS.keys()].some((room) => `${room}/`.startsWith(`${name}/`))),
  ).toEqual([]);
  expect(top.filter((name) => !name.endsWith('.ts')).length).toBeLessThanOrEqual(15);
  expect(sources.filter((file) => roomOf(file) === '' && file.split('/').length > 2)).toEqual([]);
  expect(imports.length).toBeGreaterThan(sources.length);
});

describe('the import law', () => {
  test.each(imports.map((one) => [`${one.file}: ${one.kind} ${one.specifier}`, one] as const))('%s', (_name, one) => {
    expect(breach(one)).toBeUndefined();
  });

  test.each<[file: string, specifier: string, kind: Import['kind'], allowed: boolean]>([
    ['src/plan/algebra/a.ts', './b.ts', 'value', true],
    ['src/plan/algebra/a.ts', '../plan/index.ts', 'type', false],
    ['src/plan/algebra/a.ts', 'node:fs', 'value', false],
    ['src/plan/algebra/a.ts', '../text/index.ts', 'value', true],
    ['src/plan/text/a.ts', '../algebra/index.ts', 'type', false],
    ['src/plan/text/a.ts', 'node:util', 'value', false],
    ['src/plan/a.ts', '@noble/hashes/sha2.js', 'value', true],
    ['src/plan/a.ts', 'yamlish', 'value', false],
    ['src/workflows/run/a.ts', '../../language/plan/index.ts', 'type', true],
    ['src/workflows/run/a.ts', '../../language/plan/document/index.ts', 'value', true],
    ['src/workflows/run/a.ts', '../../language/plan/issue.ts', 'type', true],
    ['src/workflows/run/a.ts', '../../wire/results/index.ts', 'value', false],
    ['src/workflows/run/a.ts', '../../wire/results/index.ts', 'type', true],
    ['src/workflows/a.ts', '../../worker/activities/index.ts', 'value', false],
    ['src/workflows/a.ts', '../../wire/identity/index.ts', 'value', false],
    ['src/workflows/a.ts', '../../wire/identity/token/index.ts', 'value', true],
    ['src/protocol/a.ts', '../../engine/run/index.ts', 'type', false],
    ['src/models/a.ts', '../define/index.ts', 'type', false],
    ['src/capabilities/a.ts', '../model/index.ts', 'type', true],
    ['src/capabilities/a.ts', '../loop/index.ts', 'type', false],
    ['src/planner/a.ts', '../builtin/index.ts', 'type', false],
    ['src/capabilities/builtin/a.ts', '../loop/index.ts', 'type', false],
    ['src/worker/a.ts', '../../edge/client/index.ts', 'type', false],
    ['src/cli/running/a.ts', '../../worker/plugin/index.ts', 'value', true],
    ['src/cli/running/a.ts', '../../worker/plugin/a.ts', 'value', false],
    ['src/cli/running/a.ts', '../view/index.ts', 'value', true],
    ['src/cli/running/a.ts', '../view/a.ts', 'value', false],
    ['src/cli/running/a/b.ts', '../c.ts', 'value', true],
    ['src/cli/running/a.ts', '../plan-text.ts', 'value', true],
    ['src/cli/program.ts', './commands/a.ts', 'value', false],
    ['src/cli/view/a.ts', '../running/index.ts', 'type', false],
    ['src/index.ts', './language/plan/index.ts', 'value', true],
    ['src/client/a.ts', '../../index.ts', 'type', false],
    ['src/workflows/a.js', '../../language/text/b.js', 'value', true],
    ['src/workflows/a.ts', '../../language/text/b.js', 'value', false],
    ['src/plan/tree/a.ts', '../steps/read-step.ts', 'value', false],
    ['src/plan/tree/a.ts', '../steps/read-step.ts', 'type', true],
    ['src/plan/tree/a.ts', '../steps/index.ts', 'value', true],
    ['src/plan/a.ts', './steps/read-step.ts', 'value', false],
    ['src/plan/steps/a.ts', './read-step.ts', 'value', true],
    ['src/plan/steps/a.ts', '../read-field.ts', 'value', true],
  ])('reads %s importing %s as %s', (file, specifier, kind, allowed) => {
    const target = specifier.startsWith('.') ? join(file, '..', specifier) : undefined;
    expect(breach({ file, specifier, kind, ...(target !== undefined && { target }) }) === undefined).toBe(allowed);
  });
});

/** What is wrong with an import, if anything. A folder inside a room that has a door is entered through it, as a room is. */
function breach({ file, specifier, kind, target }: Import): string | undefined {
  const from = roomOf(file);
  const room = ROOMS.get(from);
  if (room === undefined) return `${from} has no law`;
  if (target === undefined) {
    const allowed = room.packages === 'any' || room.packages.some((name) => isOfPackage(specifier, name));
    return allowed ? undefined : `${from} may not use ${specifier}`;
  }
  const to = roomOf(target);
  const passed = kind === 'type' ? undefined : doorPassed(file, target);
  if (to === from) return folderBreach(file, target) ?? (passed && `${passed} is entered through its index.ts`);
  const other = ROOMS.get(to);
  if (
    other === undefined ||
    other.height > room.height ||
    APART.some(([a, b]) => a === room.floor && b === other.floor)
  )
    return `${from} may not import from ${to}, which is no room below it`;
  const isPure = other.runs === 'anywhere' || PURE_PARTS.some((part) => target.startsWith(`src/${part}/`));
  if (kind === 'value' && room.runs !== 'Node' && !isPure) return `${from} runs ${room.runs}, and ${to} does not`;
  // What is loaded with `require` reads no index.ts.
  const isPlain = file.endsWith('.js') && target.endsWith('.js');
  return kind === 'type' || isPlain || passed === undefined ? undefined : `${passed} is entered through its index.ts`;
}

/** The innermost folder with a door that an import from outside of it reaches into past its index.ts. */
function doorPassed(file: string, target: string): string | undefined {
  const parts = target.split('/');
  const above = parts.slice(1, -1).map((_, depth) => parts.slice(0, depth + 2).join('/'));
  const isDoor = (path: string) => doors.has(`${path}/index.ts`) || ROOMS.has(path.slice('src/'.length));
  const folder = above.findLast((each) => !file.startsWith(`${each}/`) && isDoor(each));
  return folder === undefined || target === `${folder}/index.ts` ? undefined : folder;
}

/** The same inside a room whose folders have doors. */
function folderBreach(file: string, target: string): string | undefined {
  const [from, to] = [file, target].map((path) => Object.keys(FOLDERS).find((one) => path.startsWith(`src/${one}/`)));
  if (to === undefined || to === from) return undefined;
  if (from !== undefined && FOLDERS[from]?.includes(to) !== true) return `${from} may not import from ${to}`;
  return target === `src/${to}/index.ts` ? undefined : `${to} is entered through its index.ts`;
}

function isOfPackage(specifier: string, name: string): boolean {
  return name === 'node:' ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`);
}

describe('the examples', () => {
  const examples = codeBelow('examples').flatMap(importsOf);
  /** A user of the package can import its doors, and the packages beside it. */
  const MAY = /^(planwright|@temporalio\/\w+|zod)$|^planwright\/\w+$|^node:/;

  test('import the package by its name, and no file that lies elsewhere', () => {
    expect(examples.length).toBeGreaterThan(100);
    const wrong = examples.filter(({ specifier, target }) => !(target?.startsWith('examples/') ?? MAY.test(specifier)));
    expect(wrong).toEqual([]);
  });

  test('import doors that the package has', () => {
    const { exports } = JSON.parse(readSource('package.json')) as { readonly exports: object };
    const entered = examples.flatMap(({ specifier }) => (/^planwright\b/.test(specifier) ? [specifier] : []));
    expect([...new Set(entered)].filter((door) => !(door.replace('planwright', '.') in exports))).toEqual([]);
  });

  test('are imported by nothing in src: they are found by their path when a demo is named', () => {
    const outside = imports.filter(({ target, specifier }) => !(target ?? `src/${specifier}`).startsWith('src/'));
    expect(outside).toEqual([]);
    expect(imports.filter(({ specifier }) => /^planwright\b/.test(specifier))).toEqual([]);
    const named = sources.filter((file) => /examples\/index/.test(readCode(file)));
    expect(named).toEqual(['src/config/project/examples.ts']);
  });
});

describe('import circles', () => {
  test('src and the examples have none between files', () => {
    expect(circlesAmong([...imports, ...codeBelow('examples').flatMap(importsOf)])).toEqual([]);
  });
  test('src has three at most where types count, each inside a room', () => {
    const circles = circlesAmong(imports.map((one) => ({ ...one, kind: 'value' })));
    expect(circles.length).toBeLessThanOrEqual(3);
    expect(circles.filter((circle) => new Set(circle.split(' ').map(roomOf)).size > 1)).toEqual([]);
  });

  const value = (file: string, target: string): Import => ({ file, target, specifier: target, kind: 'value' });
  test.each<[name: string, planted: readonly Import[], circles: readonly string[]]>([
    ['a chain', [value('a', 'b'), value('b', 'c'), value('a', 'c')], []],
    ['two files', [value('a', 'b'), value('b', 'a')], ['a b']],
    ['a file and itself', [value('a', 'a')], ['a']],
    ['a circle behind a chain', [value('a', 'b'), value('b', 'c'), value('c', 'd'), value('d', 'b')], ['b c d']],
    ['a circle of which one side is types only', [value('a', 'b'), { ...value('b', 'a'), kind: 'type' }], []],
    ['two circles', [value('a', 'b'), value('b', 'a'), value('c', 'd'), value('d', 'c')], ['a b', 'c d']],
  ])('are seen: %s', (_name, planted, circles) => {
    expect(circlesAmong(planted)).toEqual(circles);
  });
});

/** The files of each circle, in order, with spaces between. An import of types alone leaves nothing behind. */
function circlesAmong(list: readonly Import[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { file, target, kind } of list) {
    if (kind === 'value' && target !== undefined) targets.set(file, (targets.get(file) ?? new Set()).add(target));
  }
  const reach = new Map([...targets.keys()].map((file) => [file, reachedBy(file, targets)]));
  const round = [...reach].filter(([file, reached]) => reached.has(file)).map(([file]) => file);
  const circles = round.map((file) =>
    round.filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file)),
  );
  return [...new Set(circles.map((files) => files.toSorted().join(' ')))];
}

/** What a file imports, and what that imports; itself only if it is in a circle. */
function reachedBy(file: string, targets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [...(targets.get(file) ?? [])];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    if (reached.has(one)) continue;
    reached.add(one);
    next.push(...(targets.get(one) ?? []));
  }
  return reached;
}

describe('names', () => {
  // A fixture is named after what stands in it.
  const named = filesBelow('src', 'examples', 'test', 'bench', 'scripts').filter(
    (file) => !file.startsWith('test/fixtures/'),
  );
  const parts = [...new Set(named.flatMap((file) => file.split('/')))];
  test('no file or folder has a word that fits everything', () => {
    expect(parts.filter((part) => FORBIDDEN_NAME.test(part))).toEqual([]);
  });
  test.each(['utils.ts', 'plan-helper.ts', 'core', 'node-info.test.ts'])('%s is such a name', (name) => {
    expect(name).toMatch(FORBIDDEN_NAME);
  });
  test.each(['encore.ts', 'information.ts', 'database.ts'])('%s is none', (name) => {
    expect(name).not.toMatch(FORBIDDEN_NAME);
  });
});

test('the environment is read in few rooms', () => {
  const readers = sources.filter((file) =>
    /\bprocess\s*(\.\s*env\b|\[\s*['"]env)|\benv\b[^;]*from 'node:process'/.test(readCode(file)),
  );
  expect(readers).not.toEqual([]);
  expect(readers.filter((file) => !ENVIRONMENT_READERS.includes(roomOf(file)))).toEqual([]);
});

test(`no file is longer than ${MOST_LINES} lines`, () => {
  const lengths = codeBelow('src', 'examples', 'test', 'bench', 'scripts')
    .map((file) => ({ file, lines: readSource(file).split('\n').length }))
    .filter(({ lines }) => lines > MANY_LINES);
  for (const { file, lines } of lengths) console.info(`${file} has ${lines} lines: look twice`);
  expect(lengths.filter(({ lines }) => lines > MOST_LINES)).toEqual([]);
});

describe('the workflow sandbox', () => {
  test('reaches no package but the SDK and what verifies signatures, and no Node', () => {
    const { files, packages } = reachedFrom(
      'src/workflows/index.ts',
      'src/workflows/unheard.ts',
      'src/workflows/reserved-names.ts',
      'src/workflows/large-updates.ts',
      'src/workflows/payload-converter.js',
      'src/workflows/failure-converter.js',
    );
    expect(files.length).toBeGreaterThan(2);
    const allowed = ['engine/workflows', 'wire/identity/token'].flatMap((room) => ROOMS.get(room)?.packages ?? []);
    expect(packages.filter((name) => !allowed.some((one) => one !== 'node:' && isOfPackage(name, one)))).toEqual([]);
  });

  const starting = codeBelow('src/workflows').filter((file) => /\bschedule(?:Local)?Activity\b/.test(readCode(file)));
  const activitiesIn = (file: string) =>
    [...new Set([...readCode(file).matchAll(/\bACTIVITIES\.(\w+)/g)].map(([, name]) => name))].toSorted();

  test('starts nodes at one place, which asks mayRun', () => {
    expect(starting.toSorted()).toEqual(['src/workflows/reach.ts', 'src/workflows/starters.ts']);
    // An agent's task is a run of its own.
    const kinds = NODE_KINDS.filter((kind) => kind !== 'agent');
    expect(activitiesIn('src/workflows/starters.ts')).toEqual(['part', ...kinds].toSorted());
    expect(readCode('src/workflows/starters.ts')).toMatch(/\bmayRun\(/);
  });

  test('reaches out beside them with no effect above read', () => {
    expect(activitiesIn('src/workflows/reach.ts')).toEqual([
      'agent',
      'compile',
      'decide',
      'keep',
      'keys',
      'load',
      'plan',
      'report',
      'save',
      'store',
    ]);
  });

  test('starts none that is local: what a query does beside one does not replay', () => {
    expect(codeBelow('src/workflows').filter((file) => /\bLocalActiv/i.test(readCode(file)))).toEqual([]);
  });

  test('starts activities in no other way', () => {
    const otherWays = /\b(proxyActivities|proxyLocalActivities|ActivityFunctionWithOptions|executeChild|startChild)\b/;
    expect(codeBelow('src/workflows').filter((file) => otherWays.test(readCode(file)))).toEqual([
      'src/workflows/starters.ts',
    ]);
    expect(readCode('src/workflows/starters.ts').match(otherWays)?.[0]).toBe('startChild');
    const naming = codeBelow('src/workflows').filter((file) =>
      /\bACTIVITIES\b|['"](?:runTask|makeQuestion|combine)['"]/.test(readCode(file)),
    );
    expect(naming.toSorted()).toEqual(starting.toSorted());
  });
});
