/** The command line as a whole: its commands, the options that all of them have, and the one place where errors end. */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command, CommanderError } from 'commander';
import { COLOR_MODES, createOutput, FORMATS, type ColorMode, type Format } from './terminal/index.ts';
import { exitCodeOf } from './define-command.ts';

import { asTyped } from './as-typed.ts';
import { EXIT_CODES, issuesOf, OperationError, toOperationError } from '../operations/index.ts';
import { COMMANDS, plainSides } from './commands/index.ts';
import { OWN_OPTIONS } from './global-options.ts';
import { noteIssues } from './view/index.ts';
import { addTemporalFlags, plainFlags } from './temporal-flags.ts';

/** Runs what was typed and returns the exit code. Never throws. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const args = plainSides(plainFlags(argv.slice(2)));
  const program = buildProgram(basename(argv[1] ?? '') === 'temporal-plan' ? 'temporal plan' : 'planwright');
  const output = createOutput(formatIn(args), colorIn(args));
  try {
    // A script that types no command has made a mistake; a person looks around.
    if (args.length === 0 && output.canAsk) {
      await (await import('./home.ts')).home(output);
      return 0;
    }
    await program.parseAsync(args, { from: 'user' });
    return exitCodeOf(program);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const known = error instanceof CommanderError ? usageError(error) : toOperationError(error, asTyped);
    noteIssues(issuesOf(known), output);
    output.error(known);
    return known.exitCode;
  }
}

export function buildProgram(name: string): Command {
  const program = new Command(name)
    .description('Runs plans that a model or a person writes, durably, on Temporal.')
    .version(version())
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', exitCodeHelp);
  for (const option of Object.values(OWN_OPTIONS)) program.addOption(option);
  addTemporalFlags(program);
  for (const make of COMMANDS) {
    const command = make();
    for (const one of [command, ...command.commands]) one.copyInheritedSettings(program);
    program.addCommand(command);
  }
  return program;
}

function usageError(error: CommanderError): OperationError {
  if (error.code === 'commander.help')
    return new OperationError('USAGE', `name a command; \`${asTyped('--help')}\` lists them`);
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  return new OperationError(
    'USAGE',
    `${message}; \`${asTyped('--help')}\` and \`${asTyped('COMMAND --help')}\` say what is possible`,
  );
}

/** An error may come before the options are read; the wish for JSON must hold for it too. */
function formatIn(args: readonly string[]): Format {
  return FORMATS.find((format) => format === typed(args, '-o', '--output')) ?? 'text';
}

function colorIn(args: readonly string[]): ColorMode {
  return COLOR_MODES.find((mode) => mode === typed(args, '--color', '--color')) ?? 'auto';
}

function typed(args: readonly string[], short: string, long: string): string | undefined {
  const at = args.findLastIndex(
    (arg) => arg === short || arg === long || arg.startsWith(`${long}=`) || joined(arg, short),
  );
  const arg = args[at];
  if (arg === undefined) return undefined;
  if (arg === short || arg === long) return args[at + 1];
  return arg.startsWith(`${long}=`) ? arg.slice(long.length + 1) : arg.slice(short.length);
}

function joined(arg: string, short: string): boolean {
  return short.length === 2 && arg.startsWith(short) && !arg.startsWith('--');
}

function exitCodeHelp({ command }: { command: Command }): string {
  if (command.parent !== null) return '';
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`);
  return `\nExit codes:\n${rows.join('\n')}`;
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
