/** docs/bounds.md says what the sources say, of every bound; and every activity that a run starts has its bounds. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { ACTIVITIES } from '../src/wire/contract/index.ts';
import { ROOT, codeBelow, readCode } from './support/source-files.ts';
import { TRIED, UNTRIED } from './support/tried-bounds.ts';

interface Row {
  readonly what: string;
  readonly bound: string;
  readonly file: string;
  readonly constant: string;
}

const page = readFileSync(join(ROOT, 'docs/bounds.md'), 'utf8');
const rows: readonly Row[] = [...page.matchAll(/^\| (.+?) +\| (.+?) +\| `(\S+)` `(\S+)` +\| .+\|$/gm)].map(
  ([, what = '', bound = '', file = '', constant = '']) => ({ what, bound, file, constant }),
);

/** The top-level constants of a file that can be told without anything else: numbers, texts and objects of them. */
function constantsOf(file: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const code = readCode(file.startsWith('examples/') ? file : `src/${file}`);
  for (const [, name = '', value = ''] of code.matchAll(
    /^(?:export )?const ([A-Z][A-Z\d_]*)(?:: [^=]+)? = ([^;]+);/gm,
  )) {
    const plain = value
      .replace(/ as const\b.*$/s, '')
      .replace(/ satisfies .*$/s, '')
      .replace(/\.\.\.[A-Z]+,?/g, '')
      // What is a constant of its own has its own row.
      .replace(/(?<![.\w])[A-Z][A-Z\d_]+\b/g, 'null');
    if (!/^[\d{]/.test(plain)) {
      if (/^'\d+ \w+'$/.test(plain)) found.set(name, plain.slice(1, -1));
      continue;
    }
    try {
      found.set(name, runInNewContext(`(${plain})`, { Number }, { timeout: 1000 }));
    } catch {
      // It stands on something else, and is no plain bound.
    }
  }
  return found;
}

const UNITS: Readonly<Record<string, number>> = {
  ...{
    ms: 1,
    s: 1000,
    second: 1000,
    seconds: 1000,
    min: 60_000,
    minutes: 60_000,
    h: 3_600_000,
    hour: 3_600_000,
    hours: 3_600_000,
  },
  ...{ d: 86_400_000, KiB: 2 ** 10, MiB: 2 ** 20, bytes: 1, characters: 1, '': 1 },
};

/** In milliseconds, bytes, characters or pieces. */
function amountOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+) ?(\w*)$/.exec(text) ?? [];
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}

function boundOf({ file, constant }: Row): unknown {
  const [name = '', ...path] = constant.split('.');
  const value = path.reduce<unknown>(
    (from, key) => (from as Record<string, unknown>)[key],
    constantsOf(file).get(name),
  );
  if (typeof value === 'string') return amountOf(value);
  return name.endsWith('_SECONDS') ? Number(value) * 1000 : value;
}

test.each(rows.map((row) => [`${row.file} ${row.constant}`, row] as const))('docs/bounds.md: %s', (_, row) => {
  expect(amountOf(row.bound)).toBe(boundOf(row));
});

/** What a number says here is no bound: how much something weighs, what stands for what, when two are one. */
const NO_BOUND = new Set([
  'engine/run/approval/state.ts DRAFTING',
  ...[
    'wire/contract/options.ts UNIT_MS',
    'wire/contract/ids.ts MAX_WORKFLOW_ID',
    'engine/run/budget.ts EVENTS_PER_ACTIVITY',
    'engine/run/spending/ledger.ts NONE',
    'engine/run/spending/ledger.ts SHARE',
    'engine/run/spending/wish.ts CALLS',
    'wire/contract/spending.ts MEMBERS',
    'model/tries.ts FREE',
  ],
  ...[
    'engine/run/node-facts.ts FIRST_LETTER',
    'engine/run/snapshot.ts SNAPSHOT_VERSION',
    'engine/run/talk/mailbox.ts NODES_PER_MESSAGE',
  ],
  ...['engine/run/talk/mailbox.ts SHORT', 'engine/run/talk/mailbox.ts SHORT_TEXT'],
  ...[
    'worker/activities/gate.ts PAUSE_MS',
    'worker/activities/slice-of-plan.ts STRETCH',
    'engine/workflows/reach.ts FIRST',
    'engine/workflows/unheard.ts OLD_MS',
  ],
  'worker/activities/failures.ts OTHER_WORKER_MS',
  // All pages are read.
  'worker/activities/done-there.ts NODES_PER_PAGE',
  // How wide a plan is drawn.
  'worker/activities/slice-of-plan.ts PLAN_COLUMNS',
  ...['worker/activities/resource-locks.ts CLOSE_EVENT', 'worker/activities/resource-locks.ts NOT_FOUND'],
  ...['model/prices.ts PER', 'model/prices.ts CHARACTERS_PER_TOKEN'],
  ...['model/secret.ts SHORTEST_KEY', 'model/check-request.ts MAX_TEMPERATURE'],
  ...['model/settings.ts MAX_TOTAL_MS', 'model/server-failure.ts MAX_CAUSES'],
  'model/model-error.ts KINDS',
  'engine/run/planning/planning.ts NO_USAGE',
  ...['wire/contract/part.ts REF', 'worker/activities/part/news.ts END_BYTES'],
  ...['mcp/tasks.ts POLL_MS', 'mcp/handed-out.ts RANDOM_BYTES'],
  ...['builtin/mcp/transport.ts SECOND_MS', 'builtin/mcp/tool-capability.ts DIGITS'],
]);

test('docs/bounds.md has every bound of a run, its workflow, its activities, its messages, its models and MCP', () => {
  const named = new Set(rows.map(({ file, constant }) => `${file} ${constant.split('.')[0]}`));
  const missing = [
    'engine/run',
    'engine/workflows',
    'worker/activities',
    'wire/contract',
    'model',
    'mcp',
    'builtin/mcp',
  ].flatMap((room) =>
    codeBelow(`src/${room}`).flatMap((path) => {
      const file = path.replace(/^src\//, '');
      return [...constantsOf(file)]
        .filter(([, value]) => /\d/.test(JSON.stringify(value)))
        .map(([name]) => `${file} ${name}`)
        .filter((name) => !named.has(name) && !NO_BOUND.has(name));
    }),
  );
  expect(missing).toEqual([]);
  expect(rows.length).toBeGreaterThan(100);
});

describe('a bound that a test passes on purpose', () => {
  test.each(TRIED)('%s: in %s', (bound, file, beyond) => {
    expect(rows.map((row) => `${row.file} ${row.constant}`)).toContain(bound);
    expect(readFileSync(join(ROOT, 'test', file), 'utf8')).toContain(beyond);
  });

  test('is every one of the page, but for those that say why not', () => {
    const tried = TRIED.map(([bound]) => bound);
    expect(new Set(tried).size).toBe(tried.length);
    const known = [...tried, ...Object.keys(UNTRIED)];
    // Give a new row a test that goes one beyond it, and name both in test/support/tried.
    expect(rows.map((row) => `${row.file} ${row.constant}`).toSorted()).toEqual(known.toSorted());
    expect(Object.keys(UNTRIED).length).toBeLessThan(26);
    for (const reason of Object.values(UNTRIED)) expect(reason.length).toBeGreaterThan(20);
  });
});

interface ActivityBounds {
  readonly startToCloseTimeout: string;
  readonly scheduleToCloseTimeout: string;
}

describe('every activity that a run starts has a bound per attempt and a bound in all', () => {
  const named = [...constantsOf('engine/workflows/reach.ts')].filter(([name]) => name.endsWith('_BOUNDS'));

  test.each(named)('%s', (_name, value) => {
    const bounds = value as ActivityBounds;
    expect(amountOf(bounds.startToCloseTimeout)).toBeGreaterThan(0);
    expect(amountOf(bounds.scheduleToCloseTimeout)).toBeGreaterThan(0);
  });

  test('and none is started elsewhere, or with others', () => {
    const starts = codeBelow('src').flatMap((path) =>
      [...readCode(path).matchAll(/schedule(?:Local)?Activity\(|proxy(?:Local)?Activities/g)].map(() => path),
    );
    expect([...new Set(starts)]).toEqual(['src/engine/workflows/reach.ts', 'src/engine/workflows/starters.ts']);
    const options = readCode('src/engine/workflows/reach.ts').match(/\{ summary\b[^}]*\}|\{ summary: [^}]*\}/g) ?? [];
    expect(options.length).toBeGreaterThan(4);
    expect(options.filter((one) => !/\.\.\.[A-Z]+_BOUNDS/.test(one))).toEqual([]);
    expect(readCode('src/engine/workflows/starters.ts')).toContain('scheduleToCloseTimeout: PART_PATIENCE * longest');
    expect(readCode('src/engine/workflows/starters.ts')).toMatch(/scheduleActivity\(.*\.\.\.boundsOf\(executor\) \}\)/);
  });

  test('as the recorded histories show', () => {
    const folder = join(ROOT, 'test/replay/histories');
    const types = new Set<string>();
    for (const file of readdirSync(folder)) {
      const { events } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { events: Record<string, unknown>[] };
      for (const { activityTaskScheduledEventAttributes: scheduled } of events) {
        if (scheduled === undefined) continue;
        const { activityType, startToCloseTimeout, scheduleToCloseTimeout } = scheduled as Record<string, string> & {
          activityType: { name: string };
        };
        types.add(activityType.name);
        for (const timeout of [startToCloseTimeout, scheduleToCloseTimeout]) {
          expect(Number.parseFloat(timeout ?? ''), `${file}: ${activityType.name}`).toBeGreaterThan(0);
        }
      }
    }
    expect([...types].filter((type) => !Object.values<string>(ACTIVITIES).includes(type))).toEqual([]);
    expect([...types]).toEqual(expect.arrayContaining([ACTIVITIES.compile, ACTIVITIES.task, ACTIVITIES.combine]));
  });
});
