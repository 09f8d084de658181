/** An operation: one thing that can be done with plans, runs, conversations and results, in JSON from end to end. */

import type { z } from 'zod';
import type { JsonValue } from '../plan/index.ts';
import type { Question } from '../protocol/index.ts';
import type { Plans } from './plans.ts';

export type Z = typeof z;

/** The side that waits for an operation that takes long. All of it may be absent. */
export interface Waiting {
  /** Ends the wait with its reason; a run goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Hears what goes on meanwhile. */
  readonly hear?: ((told: Heard) => void) | undefined;
  /** Answers a question. undefined: it stays open. Without it nobody can be asked. */
  readonly ask?: ((question: Question) => Promise<JsonValue | undefined>) | undefined;
  /** Bytes of a stored result that is read; a larger one is REFUSED, with `large`, its handle. 0 asks for the handle alone. */
  readonly most?: number | undefined;
}

/** `is` tells lines apart that look alike, such as a stage of planning. */
export interface Heard {
  readonly is: string;
  readonly text: string;
}

/**
 * How the value of a field comes from what a person types. `asked`: by its type, or a person at a terminal is asked for it. `none`: it is not
 * typed, and neither are the columns, whether a project is named, and the runs that a host was handed.
 */
export type From =
  | 'approval'
  | 'asked'
  | 'columns'
  | 'deadline'
  | 'document'
  | 'duration'
  | 'file'
  | 'flag'
  | 'json'
  | 'none'
  | 'object'
  | 'own-runs'
  | 'person'
  | 'project'
  | 'source'
  | 'source-fields'
  | 'text-or-flag'
  | 'words';

// Fields that may be left out, by their types.
export const textField = (zod: Z, about: string) => zod.string().optional().describe(about);
export const flagField = (zod: Z, about: string) => zod.boolean().optional().describe(about);
export const countField = (zod: Z, about: string, least = 1) => zod.int().min(least).optional().describe(about);
export const namesField = (zod: Z, about: string) => zod.array(zod.string()).readonly().optional().describe(about);
export const choiceField = <const One extends string>(zod: Z, choices: readonly One[], about: string) =>
  zod.enum(choices).optional().describe(about);

/** Flags of a command that are no part of its input: of the project, of the signature, of the wait. */
export type PlaceFlag = 'config' | 'demo' | 'store' | 'taskQueue' | 'key' | 'kid' | 'timeout';
export const IN_PROJECT = ['config', 'demo', 'store'] as const satisfies readonly PlaceFlag[];
/** As decisions and starts are. */
export const MAY_ACT = { readOnly: false, destructive: true } as const;
export const SIGNED = ['key', 'kid'] as const satisfies readonly PlaceFlag[];

/** A field of an answer in text: as a named value, by itself (a text as it is or wrapped, or JSON), a plan as a tree, or a list as a table of these columns. */
export type Shown = 'value' | 'text' | 'wrapped' | 'json' | 'tree' | readonly string[];

/** The command of an operation. Its flags and their help are those of the fields of the input. */
export interface Typing {
  /** As it is typed: `store gc`, or with the fields that have a place in it `diff <before> <after>`. */
  readonly words: string;
  readonly example?: string;
  readonly place?: readonly PlaceFlag[];
  /** How fields and flags come from what is typed. Default: by their types, those of other types not at all. */
  readonly from?: Readonly<Record<string, From>>;
  /** Flags that are no part of the input: how the answer is shown, or a field in other words. */
  readonly flags?: (zod: Z) => Readonly<Record<string, z.ZodType>>;
  /** For the help, behind what it does: what its exit says, for one. */
  readonly more?: string;
  /** The fields that its answer has in text, in order. Default: all of them. */
  readonly shows?: Readonly<Record<string, Shown>>;
  /** Fields that its JSON form leaves out. */
  readonly hides?: readonly string[];
  /** The lists of its JSON form whose items are the lines of jsonl. Default: the JSON form is the only line. */
  readonly lines?: readonly string[];
}

/** The tool of an operation at a host of MCP. Its parameters are those of the fields of the input. */
export interface ForHost {
  /** The fields that a host gives. */
  readonly fields: readonly string[];
  /** Fields of the output that it is not given: what a model reads is short. */
  readonly hides?: readonly string[];
}

export interface Operation<Input, Output> {
  /** Without it no command is made. */
  readonly command?: Typing;
  /** Without it no host carries it out. The run that it is about is its field `workflowId`. */
  readonly host?: ForHost;
  /** A sentence for a person, or for a model that chooses among operations. */
  readonly does: string;
  /** Changes nothing, neither in a run nor in the store. */
  readonly readOnly: boolean;
  /** May have effects that nothing takes back, such as the nodes that an approval lets run. */
  readonly destructive: boolean;
  /** Takes zod as an argument: to load it takes longer than many operations. */
  readonly input: (zod: Z) => z.ZodType<Input>;
  /** @throws OperationError, and the errors of the rooms below, which `toOperationError` reads */
  run(plans: Plans, input: Input, waiting?: Waiting): Promise<Output>;
}

/**
 * Declares an operation. The type of its input is that of its schema, the type of its output that of what it gives.
 * @param row `readOnly` is true and `destructive` false unless it says otherwise
 */
export function operation<Input, Output>(
  row: Omit<Operation<Input, Output>, 'readOnly' | 'destructive'> &
    Partial<Pick<Operation<Input, Output>, 'readOnly' | 'destructive'>>,
): Operation<Input, Output> {
  return { readOnly: true, destructive: false, ...row };
}
