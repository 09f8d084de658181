/** A command: how it is typed, and the place in which it works. Those of operations are made in `row-command.ts`. */

import { Command, Option } from 'commander';
import {
  EXIT_CODES,
  openPlans,
  perform,
  type ExitName,
  type InputOf,
  type OperationName,
  type OutputOf,
  type Plans,
  type PlansOptions,
  type Waiting,
} from '../operations/index.ts';
import { asTyped, connectionFlags } from './as-typed.ts';
import { applyTemporalFlags, type GlobalOptions } from './global-flags.ts';
import { dashed, type Flags, type Values } from './options.ts';
import { createOutput, type Output } from './terminal/index.ts';

/** By their names, the words for the help. One whose name ends with `?` may be left out. */
type Arguments = { readonly [name: string]: string };

type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A & string as Name extends `${infer Bare}?` ? Bare : Name]: Name extends `${string}?`
    ? string | undefined
    : string;
};
export type Typed<A extends Arguments, F extends Flags> = GlobalOptions & Values<F> & ArgumentValues<A>;

const NONE = {};
/** No arguments, or no flags. */
export type None = typeof NONE;

/** The surroundings of a command that was typed. */
export interface Shell<T> {
  readonly typed: T;
  readonly output: Output;
  /** The connection flags that were typed, for the commands that people are told to type: `''` or ` --address ...`. */
  readonly flags: string;
  readonly plans: Plans;
  /** The same with another project or task queue, which is let go of at the end of the work. */
  elsewhere<R>(place: PlansOptions, work: (shell: Shell<T>) => Promise<R>): Promise<R>;
  /** Carries out an operation. */
  perform<Name extends OperationName>(name: Name, input: InputOf<Name>, waiting?: Waiting): Promise<OutputOf<Name>>;
}

/** The look of a command in the help, and the words that it takes. */
interface Look<A extends Arguments, F extends Flags> {
  readonly name: string;
  /** For the list of all commands. Default: the description. */
  readonly summary?: string;
  readonly description: string;
  readonly examples?: readonly string[];
  readonly arguments?: A;
  readonly flags?: F;
  /** Whether the config of the project is read. Default: it is where the command has `--store` or `--config`. */
  readonly readsConfig?: (typed: Typed<A, F>) => Promise<boolean | undefined>;
}

interface Spec<A extends Arguments, F extends Flags> extends Look<A, F> {
  /** Gives the exit of the program. */
  readonly run: (typed: Typed<A, F>, shell: Shell<Typed<A, F>>) => Promise<ExitName>;
}

const EXITS = new WeakMap<Command, number>();

/** The exit code of what was typed, once it is done. */
export function exitCodeOf(program: Command): number {
  return EXITS.get(program) ?? 0;
}

/**
 * Declares a command. The types of what was typed are those of its arguments and flags.
 * @example defineCommand({ name: 'try', description: 'try it', flags: { limit: or(100, count('at most so many')) }, run })
 */
export function defineCommand<const A extends Arguments = None, F extends Flags = None>(
  spec: Spec<A, F>,
): () => Command {
  const names = Object.keys(spec.arguments ?? {});
  return () => {
    const command = lookOf(spec);
    return command.action(async function (this: Command) {
      const program = programOf(this);
      applyTemporalFlags(program, process.env);
      const words = names.map((name, at) => [name.replace('?', ''), this.processedArgs[at] as unknown] as const);
      const typed = { ...this.optsWithGlobals<GlobalOptions>(), ...Object.fromEntries(words) } as Typed<A, F>;
      const exit = await inShell(spec, typed, (shell) => spec.run(typed, shell));
      EXITS.set(program, EXIT_CODES[exit].code);
    });
  };
}

/** Declares a command with commands below it. */
export function defineGroup(
  { name, description, example }: { readonly name: string; readonly description: string; readonly example: string },
  below: readonly (() => Command)[],
): () => Command {
  return () => {
    const group = new Command(name).description(description).addHelpText('after', `\nExample:\n  ${example}`);
    for (const make of below) group.addCommand(make());
    return group;
  };
}

function lookOf<A extends Arguments, F extends Flags>(look: Look<A, F>): Command {
  const command = new Command(look.name).description(look.description);
  if (look.summary !== undefined) command.summary(look.summary);
  for (const [name, words] of Object.entries(look.arguments ?? {})) command.argument(placeOf(name), words);
  for (const option of optionsOf(look.flags ?? {})) command.addOption(option);
  for (const line of look.examples ?? []) command.addHelpText('after', `\nExample:\n  ${line}`);
  return command;
}

async function inShell<A extends Arguments, F extends Flags, T>(
  look: Look<A, F>,
  typed: Typed<A, F>,
  work: (shell: Shell<Typed<A, F>>) => Promise<T>,
  other: PlansOptions = {},
): Promise<T> {
  const { flags = {} } = look;
  const readsConfig = (await look.readsConfig?.(typed)) ?? ('store' in flags || 'config' in flags);
  const { config, demo, store, taskQueue, key, kid }: Readonly<Record<string, unknown>> = typed;
  const place = { config, demo, store, taskQueue } as { readonly config?: string };
  const signer =
    'key' in flags ? await (await import('./reading/index.ts')).openSigner({ key, kid } as object) : undefined;
  const plans = openPlans({ ...place, signer, readsConfig, typed: asTyped, ...other });
  const output = createOutput(typed.output, typed.color);
  const onPlans: Shell<T>['perform'] = (name, input, waiting) => perform(name, plans, input, waiting);
  try {
    const elsewhere: Shell<Typed<A, F>>['elsewhere'] = (to, also) => inShell(look, typed, also, { ...other, ...to });
    return await work({ typed, output, flags: connectionFlags(typed), plans, elsewhere, perform: onPlans });
  } finally {
    await plans.close();
  }
}

/** `workflowId` is `<workflow-id>`, `node?` is `[node]`. */
function placeOf(name: string): string {
  const words = dashed(name);
  return words.endsWith('?') ? `[${words.slice(0, -1)}]` : `<${words}>`;
}

/** The options of a table in its order, named by its keys: `maxDepth` is `--max-depth`. */
function optionsOf(flags: Flags): readonly Option[] {
  return Object.entries(flags).map(([key, kind]) => {
    const { description, placeholder, short, isNegated, isRequired, initial, read } = kind;
    const name = `--${isNegated === true ? 'no-' : ''}${dashed(key)}`;
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
