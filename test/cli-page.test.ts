/** The tables of options in docs/cli.md are those of the commands; UPDATE_GOLDEN=1 writes them. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../src/cli/program.ts';
import { allRows } from '../src/cli/commands/index.ts';

const FILE = new URL('../docs/cli.md', import.meta.url);
const written = readFileSync(FILE, 'utf8');
const page = written.replaceAll('\\|', '|');
const program = buildProgram('planwright', await allRows());
const commands = new Map(program.commands.flatMap((command) => pathsOf(command)));
const BLOCK = /^<!-- options of ([a-z -]+) -->\n[^]*?^<!-- end -->$/gm;

/** A command, or its subcommands: `draft save`. */
function pathsOf(command: Command): (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[command.name(), command]];
  return command.commands.map((sub) => [`${command.name()} ${sub.name()}`, sub]);
}

/** The name of the block of options that several commands have alike, each told there once. */
const SHARED = 'several commands';
const MANY = 3;

function rowsOf({ options }: Command): readonly (readonly [flags: string, row: string])[] {
  return options.map(({ flags, description, defaultValue, negate }) => {
    const initial = defaultValue === undefined || negate ? '' : `; default \`${String(defaultValue)}\``;
    return [flags, `| \`${flags}\` | ${description}${initial} |`.replaceAll(/(?<=\S)\|(?=\S)/g, '\\|')];
  });
}

const all = [...commands.values()].flatMap(rowsOf);
const shared = new Map(all.filter(([, row]) => all.filter(([, other]) => other === row).length >= MANY));
const isShared = ([flags, row]: readonly [string, string]) => shared.get(flags) === row;

/** The options of a command as a table, and the names of those it shares; below a command its subcommands are told apart. */
function tableOf(path: string): string {
  const head = path.includes(' ') && path !== SHARED ? `| option of \`${path}\` | meaning |` : '| option | meaning |';
  const command = commands.get(path);
  const rows = command === undefined ? [...shared] : rowsOf(command);
  const own = command === undefined ? rows : rows.filter((row) => !isShared(row));
  const others = command === undefined ? [] : rows.filter(isShared);
  const names = others.map(([flags]) => `\`${/--[a-z-]+/.exec(flags)?.[0]}\``).join(', ');
  return [
    ...(own.length > 0 ? [head, '|---|---|', ...own.map(([, row]) => row)] : []),
    ...(own.length > 0 && others.length > 0 ? [''] : []),
    ...(others.length > 0
      ? [`${path.includes(' ') ? `\`${path}\` [also]` : '[Also]'}(#options-of-several-commands): ${names}.`]
      : []),
  ].join('\n');
}

/** The parts of a page under headings of this level, by their titles. */
function sectionsOf(text: string, level: '##' | '###'): ReadonlyMap<string, string> {
  const parts = text.split(new RegExp(`^${level} `, 'm')).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))]));
}

function spansIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
}

describe('docs/cli.md', () => {
  test('has every command, and no other', () => {
    const titles = [...sectionsOf(sectionsOf(page, '##').get('Commands') ?? '', '###').keys()];
    const named = titles.flatMap(spansIn).map((span) => span.split(' ')[0]);
    expect(named.toSorted()).toEqual(program.commands.map((command) => command.name()).toSorted());
  });

  test('has the options of every command, as the command has them', () => {
    const made = written.replaceAll(
      BLOCK,
      (_block, path: string) => `<!-- options of ${path} -->\n${tableOf(path)}\n<!-- end -->`,
    );
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(FILE, made);
    else expect(written).toBe(made);
    const told = [...made.matchAll(BLOCK)].map(([, path]) => path).filter((path) => path !== SHARED);
    const having = [...commands].filter(([, { options }]) => options.length > 0).map(([path]) => path);
    expect(told.toSorted()).toEqual(having.toSorted());
  });
});
