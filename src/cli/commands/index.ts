/** The commands there are, in the order in which the help lists them: those by hand, then those of the operations. */

import type { Command } from 'commander';
import type { CommandRow } from '../../operations/index.ts';
import { defineGroup } from '../define-command.ts';
import { rowCommand } from '../row-command.ts';
import { codecCommand } from './codec.ts';
import { demoCommand } from './demo.ts';
import { mcpCommand } from './mcp.ts';
import { doctorCommand, initCommand } from './project.ts';
import { rerunCommand, runCommand } from './run.ts';
import { serveCommand } from './serve.ts';
import { VIEWS } from './views.ts';
import { watchCommand } from './watch.ts';
import { devCommand, workerCommand } from './worker.ts';

const BY_HAND: readonly (() => Command)[] = [
  initCommand,
  runCommand,
  rerunCommand,
  watchCommand,
  workerCommand,
  devCommand,
  serveCommand,
  codecCommand,
  mcpCommand,
  doctorCommand,
  demoCommand,
];

/** The commands of operations that stand below one word. */
const GROUPS: Readonly<Record<string, readonly [says: string, example: string]>> = {
  eval: ['how good the plans of a model are, by cases', 'planwright eval run cases.json --repeat 3'],
  draft: [
    'plans that are worked on in a conversation, before they run',
    'planwright draft save plan.json --conversation reef-7 --by planner',
  ],
  artifact: [
    'what a conversation found out or proposes, before anything runs',
    'planwright artifact save findings.json --conversation reef-7 --by planner',
  ],
  store: [
    'the result store: how much it has, whether it is whole, copies of it, and what nobody needs',
    'planwright store check',
  ],
};

export function commandsOf(rows: readonly CommandRow[]): readonly Command[] {
  const groupOf = ({ words }: CommandRow) => words.split(' ')[0]!;
  const below = (name: string) => rows.filter((row) => groupOf(row) === name).map((row) => rowCommand(row, VIEWS));
  const alone = rows.filter((row) => GROUPS[groupOf(row)] === undefined).map((row) => rowCommand(row, VIEWS));
  const groups = Object.entries(GROUPS).map(([name, [description, example]]) =>
    defineGroup({ name, description, example }, below(name)),
  );
  return [...BY_HAND, ...alone, ...groups].map((make) => make());
}
