/** Joins a command to its options and to its action, which is loaded only when the command is typed. */

import { Option, type Command } from 'commander';
import { createOutput, type Output } from './terminal/index.ts';
import type { GlobalOptions } from './global-options.ts';
import type { OptionKind } from './options/index.ts';
import { applyTemporalFlags } from './temporal-flags.ts';

/** Returns the exit code of the program. What it reads of the options is what its command must declare. */
export type Action<Read> = (options: Read, output: Output, ...args: string[]) => Promise<number>;

/** An option for everything that an action reads; what all commands have is declared once, by the program. */
export type Declares<Read> = {
  readonly [Name in Exclude<keyof Read, keyof GlobalOptions>]-?: OptionKind<Read[Name]>;
};

/** Nothing that no action reads. */
type NoneMore<Table, Read> = Table & Readonly<Record<Exclude<keyof Table, keyof Declares<Read>>, never>>;

const EXITS = new WeakMap<Command, number>();

/**
 * Declares the options of a command and says what it does. An option that the action does not read, and one that it
 * reads and the table lacks, do not compile.
 */
export function act<Read, Table extends Declares<Read>>(
  command: Command,
  table: NoneMore<Table, Read>,
  load: () => Promise<Action<Read>>,
): Command {
  for (const option of optionsOf(table)) command.addOption(option);
  return command.action(async function (this: Command) {
    const program = programOf(this);
    applyTemporalFlags(program, process.env);
    const { output, color } = this.optsWithGlobals<GlobalOptions>();
    const action = await load();
    const code = await action(
      this.optsWithGlobals<Read & object>(),
      createOutput(output, color),
      ...this.processedArgs,
    );
    EXITS.set(program, code);
  });
}

/** The exit code of what was typed, once it is done. */
export function exitCodeOf(program: Command): number {
  return EXITS.get(program) ?? 0;
}

export function example(command: Command, line: string): Command {
  return command.addHelpText('after', `\nExample:\n  ${line}`);
}

/** The options of a table in its order, named by its keys: `maxDepth` is `--max-depth`. */
export function optionsOf(table: Readonly<Record<string, OptionKind<unknown>>>): readonly Option[] {
  return Object.entries(table).map(([key, kind]) => {
    const { description, placeholder, short, isNegated, isRequired, initial, read } = kind;
    const name = `--${isNegated === true ? 'no-' : ''}${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const option = new Option(
      `${short === undefined ? '' : `${short}, `}${name} ${placeholder}`.trimEnd(),
      description,
    );
    if (initial !== undefined) option.default(initial);
    if (read !== undefined) option.argParser((typed) => read(typed, name));
    return option.makeOptionMandatory(isRequired === true);
  });
}

/** A command may stand below another one. */
function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}
