/** The commands in the order of the help: first those written by hand, then those of the operations. */

import type { Command } from 'commander';
import { commandRows, describeRows, OPERATIONS } from '../../operations/index.ts';
import { defineGroup, type AnyRow } from '../define-command.ts';
import { rowCommand } from '../row-command.ts';
import { VIEWS } from './views.ts';

/** Commands are loaded on use. */
const BY_HAND = {
  init: async () => (await import('./project.ts')).init,
  run: async () => (await import('./run.ts')).run,
  watch: async () => (await import('./watch.ts')).watch,
  worker: async () => (await import('./worker.ts')).worker,
  dev: async () => (await import('./worker.ts')).dev,
  serve: async () => (await import('./serve.ts')).serve,
  codec: async () => (await import('./codec.ts')).codec,
  mcp: async () => (await import('./mcp.ts')).mcp,
  doctor: async () => (await import('./project.ts')).doctor,
  demo: async () => (await import('./demo.ts')).demo,
} as const;

const ALL = { ...BY_HAND, ...OPERATIONS };
export const allRows = (): Promise<readonly AnyRow[]> => commandRows<string>(ALL);

/** For the build. @throws Error if two flags of a command have one name */
export async function describeAll(): Promise<readonly AnyRow[]> {
  const rows = await describeRows<string>(ALL);
  commandsOf(rows);
  return rows;
}

/** Commands of operations that share a first word. */
const GROUPS: Readonly<Record<string, readonly [says: string, example: string]>> = {
  draft: [
    'plans that are worked on in a conversation, before they run',
    'planwright draft save plan.json --conversation reef-7 --by planner',
  ],
  artifact: [
    'what a conversation found out or proposes, before anything runs',
    'planwright artifact save findings.json --conversation reef-7 --by planner',
  ],
  store: ['the result store: how much it has, copies of it, and what nobody needs', 'planwright store gc --dry-run'],
};

export function commandsOf(rows: readonly AnyRow[]): readonly Command[] {
  const groupOf = ({ words }: AnyRow) => words.split(' ')[0]!;
  const made = (some: readonly AnyRow[]) => some.map((row) => rowCommand(row, VIEWS, BY_HAND));
  const groups = Object.entries(GROUPS).map(([name, [says, example]]) =>
    defineGroup(name, says, example, made(rows.filter((row) => groupOf(row) === name))),
  );
  return [...made(rows.filter((row) => GROUPS[groupOf(row)] === undefined)), ...groups];
}
