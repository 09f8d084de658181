import type { Command } from 'commander';
import { commandRows, describeRows, OPERATIONS } from '../../operations/index.ts';
import { defineGroup, type AnyRow } from '../define-command.ts';
import { rowCommand } from '../row-command.ts';
import { VIEWS } from './views.ts';

const BY_HAND = {
  init: async () => (await import('./project.ts')).init,
  run: async () => (await import('./run.ts')).run,
  watch: async () => (await import('./watch.ts')).watch,
  worker: async () => (await import('./worker.ts')).worker,
  dev: async () => (await import('./worker.ts')).dev,
  serve: async () => (await import('./servers.ts')).serve,
  codec: async () => (await import('./servers.ts')).codec,
  mcp: async () => (await import('./servers.ts')).mcp,
  doctor: async () => (await import('./project.ts')).doctor,
  demo: async () => (await import('./demo.ts')).demo,
  version: async () => (await import('./project.ts')).printVersion,
} as const;

const ALL = { ...BY_HAND, ...OPERATIONS };
export const allRows = (): Promise<readonly AnyRow[]> => commandRows<string>(ALL);

/**
 * Describes all commands as data. The build stores these, so that commands start without zod.
 * @throws Error if two flags of a command have one name
 */
export async function describeAll(): Promise<readonly AnyRow[]> {
  const rows = await describeRows<string>(ALL);
  commandsOf(rows);
  return rows;
}

/** Commands with a common first word, such as `store gc`: help, an example, and the optional second word. */
const GROUPS: Readonly<Record<string, readonly [does: string, example: string, usual?: string]>> = {
  grant: [
    'Approve runs of a plan before they start; show or withdraw that.',
    'planwright grant plan.json --vary vary.json --uses 30 --until 2027-01-31',
    'give',
  ],
  draft: [
    'Save, show and hand off plans in a conversation.',
    'planwright draft save plan.json --conversation reef-7 --by planner',
  ],
  artifact: [
    'Save what a conversation found out or proposes.',
    'planwright artifact save findings.json --conversation reef-7 --by planner',
  ],
  schedule: [
    'Start runs of a plan again and again; pause or delete a schedule.',
    "planwright schedule plan.json --every 'weekdays 8:00'",
    'add',
  ],
  store: ['Copy the result store, or remove what nobody needs.', 'planwright store gc --dry-run'],
};

/** The groups of `--help`, each with its commands in order. The footer names hidden commands. */
const HELP: Readonly<Record<string, string>> = {
  'Start:': 'demo init run dev',
  'Decide:': 'inbox effects approve reject edit revise withdraw answer grant',
  'Look:': 'list status watch result why trace',
  'Operate:':
    'pause resume cancel kill undo retry skip resolve cancel-node fallback go-on schedule worker serve mcp doctor store',
  'Write:': 'plan compile diff capabilities schema draft artifact',
};
const HIDDEN: readonly string[] = [
  'codec',
  'grants',
  'schedules',
  'receipt',
  'verify',
  'decisions',
  'version',
  'completion',
  'help',
];

export function commandsOf(rows: readonly AnyRow[]): readonly Command[] {
  const groupOf = ({ words }: AnyRow) => words.split(' ')[0]!;
  const made = (some: readonly AnyRow[]) => some.map((row) => rowCommand(row, VIEWS, BY_HAND));
  const groups = Object.entries(GROUPS).map(([name, [does, example, usual]]) =>
    defineGroup(name, does, example, made(rows.filter((row) => groupOf(row) === name)), usual),
  );
  const all = [...made(rows.filter((row) => GROUPS[groupOf(row)] === undefined)), ...groups];
  const listed = Object.entries(HELP).flatMap(([heading, names]) =>
    names.split(' ').flatMap((name) => all.filter((one) => one.name() === name).map((one) => one.helpGroup(heading))),
  );
  return [...listed, ...all.filter((one) => !listed.includes(one))];
}

export function isHidden(command: Command): boolean {
  return HIDDEN.includes(command.name());
}
