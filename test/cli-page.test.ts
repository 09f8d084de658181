/** docs/cli.md says of every command which options it has, and of none that it has others. */

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES, EXIT_CODES } from '../src/operations/index.ts';
import { buildProgram } from '../src/cli/program.ts';

const page = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8').replaceAll('\\|', '|');
const program = buildProgram('planwright');
const commands = new Map(program.commands.flatMap((command) => pathsOf(command)));
const groups = program.commands.filter((command) => command.commands.length > 0).map((command) => command.name());
const SPEAKERS = 'Who says it';
/** Every command has them, and any section may speak of them. */
const globals = new Set(program.options.map(({ long }) => long));

/** A command, or its subcommands: `draft save`. */
function pathsOf(command: Command): (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[command.name(), command]];
  return command.commands.map((sub) => [`${command.name()} ${sub.name()}`, sub]);
}

/** The parts of a page under headings of this level, by their titles. */
function sectionsOf(text: string, level: '##' | '###'): ReadonlyMap<string, string> {
  const parts = text.split(new RegExp(`^${level} `, 'm')).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))]));
}

function spansIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
}

function optionsIn(span: string): readonly string[] {
  return span.match(/--[a-z][a-z-]*/g) ?? [];
}

/** The commands that begin a text: `draft save FILE` is about `draft save`. */
function commandOf(span: string): string | undefined {
  const [first = '', second = ''] = span.split(' ');
  return [`${first} ${second}`, first].find((path) => commands.has(path) || groups.includes(path));
}

/** What the page says: the options of each command, by its path. */
function described(): ReadonlyMap<string, ReadonlySet<string>> {
  const told = new Map([...commands.keys()].map((path) => [path, new Set<string>()]));
  const tell = (about: string, options: readonly string[]) => {
    const paths = groups.includes(about)
      ? [...commands.keys()].filter((path) => path.startsWith(`${about} `))
      : [about];
    const own = options.filter((option) => !globals.has(option));
    for (const path of paths) for (const option of own) told.get(path)?.add(option);
  };
  for (const [title, text] of sectionsOf(sectionsOf(page, '##').get('Commands') ?? '', '###')) {
    const named = spansIn(title === SPEAKERS ? (text.split(' take these')[0] ?? '') : title);
    const about = named.map(commandOf).filter((path) => path !== undefined);
    for (const line of text.split('\n')) {
      const [first = '', ...rest] = spansIn(line);
      const row = line.startsWith('| `') ? commandOf(first) : undefined;
      for (const span of row === undefined ? [first, ...rest] : rest) {
        const owner = commandOf(span);
        if (owner !== undefined) tell(owner, optionsIn(span));
        else if (span.startsWith('-'))
          for (const path of row === undefined ? about : [row]) tell(path, optionsIn(span));
      }
    }
  }
  return told;
}

describe('docs/cli.md', () => {
  test('has every command, and no other', () => {
    const titles = [...sectionsOf(sectionsOf(page, '##').get('Commands') ?? '', '###').keys()];
    const named = titles.flatMap(spansIn).map((span) => span.split(' ')[0]);
    expect(named.toSorted()).toEqual(program.commands.map((command) => command.name()).toSorted());
  });

  const told = described();
  test.each([...commands])('has every option of %s, and no other', (path, command) => {
    expect([...(told.get(path) ?? [])].toSorted()).toEqual(command.options.map(({ long }) => long).toSorted());
  });

  test('has every option that all commands have, and no other', () => {
    const section = sectionsOf(page, '##').get('Options of every command') ?? '';
    const named = spansIn(section)
      .filter((span) => span.startsWith('-'))
      .flatMap(optionsIn);
    const longs = program.options.map(({ long }) => long ?? '').filter((long) => long !== '--version');
    // `--tls-*` stands for all that begin so, and `--tls` for what takes it away.
    const expected = longs.filter((long) => long !== '--no-tls').map((long) => long.replace(/^--tls-.*/, '--tls-'));
    expect(named.toSorted()).toEqual([...new Set(expected)].toSorted());
  });

  test('repeats the tables of exits', () => {
    const exits = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => ({
      code: Number(code),
      meaning,
    }));
    expect(exits).toEqual(Object.values(EXIT_CODES));
    const errors = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|$/gm)].map(([, code, exit]) => [code, Number(exit)]);
    expect(errors).toEqual(Object.entries(ERROR_CODES).map(([code, { exit }]) => [code, EXIT_CODES[exit].code]));
  });
});
