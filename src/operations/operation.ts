/** The type of an operation: something that can be done with plans, runs, conversations and results, in JSON. */

import type { z } from 'zod';
import type { JsonValue } from '../plan/index.ts';
import type { Question } from '../protocol/index.ts';
import type { Plans } from './plans.ts';

export type Z = typeof z;

export interface Waiting {
  /** Ends the wait with the signal's reason. The run continues. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((line: ProgressLine) => void) | undefined;
  /** Answers a question of the operation. The question stays open if the function is absent or returns undefined. */
  readonly ask?: ((question: Question) => Promise<JsonValue | undefined>) | undefined;
  /**
   * Maximum size of a stored result to read, in bytes. A larger result is REFUSED, with its handle as `large`. With 0,
   * only the handle is returned.
   */
  readonly most?: number | undefined;
}

/** A line of progress. `is` names its kind, such as a stage of planning, since lines of two kinds may look alike. */
export interface ProgressLine {
  readonly is: string;
  readonly text: string;
}

/**
 * How a field is read from the command line. `asked`: by its type, and at a terminal a missing value is asked for.
 * `none`, `columns`, `project` and `own-runs`: it cannot be typed.
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
  | 'source'
  | 'source-fields'
  | 'text-or-flag'
  | 'words';

export const textField = (zod: Z, about: string) => zod.string().optional().describe(about);
export const flagField = (zod: Z, about: string) => zod.boolean().optional().describe(about);
export const countField = (zod: Z, about: string, min = 1) => zod.int().min(min).optional().describe(about);
export const namesField = (zod: Z, about: string) => zod.array(zod.string()).readonly().optional().describe(about);
export const limitField = (zod: Z, usual = 100) => ({
  limit: zod.int().positive().default(usual).describe('at most so many'),
});
export const MORE = 'There are more; --limit shows them.';
export const choiceField = <const One extends string>(zod: Z, choices: readonly One[], about: string) =>
  zod.enum(choices).optional().describe(about);

/** Options that are not input of the operation: the project, the signature, the time limit. */
export type PlaceFlag = 'config' | 'demo' | 'store' | 'taskQueue' | 'key' | 'kid' | 'timeout';
export const IN_PROJECT = ['config', 'demo', 'store'] as const satisfies readonly PlaceFlag[];
export const MAY_ACT = { readOnly: false, destructive: true } as const;
export const SIGNED = ['key', 'kid'] as const satisfies readonly PlaceFlag[];

/**
 * How a field is printed: as a named value, as a text (as it is or wrapped), as JSON, as the tree of a plan, or as a
 * table with these columns.
 */
export type FieldForm = 'value' | 'text' | 'wrapped' | 'json' | 'tree' | readonly string[];

/** The command of an operation. Its options and their help are made from the input fields. */
export interface CommandSpec {
  /** The words as typed: `store gc`, or with positional fields `diff <before> <after>`. */
  readonly words: string;
  readonly example?: string;
  readonly place?: readonly PlaceFlag[];
  /** How fields and options are read from the command line. Default: by type; other types cannot be typed. */
  readonly from?: Readonly<Record<string, From>>;
  /** Further options that are not input fields: they change the form of the answer, or type a field in another way. */
  readonly flags?: (zod: Z) => Readonly<Record<string, z.ZodType>>;
  /** Help text after `does`, such as the meaning of the exit code. */
  readonly more?: string;
  /** The fields that are printed as text, in order. Default: all. */
  readonly shows?: Readonly<Record<string, FieldForm>>;
  readonly hides?: readonly string[];
  /** Fields of the JSON form that are lists. With jsonl, each item is a line. By default the answer is one line. */
  readonly lines?: readonly string[];
}

/** The tool that an MCP host gets for an operation. Its parameters are made from the input fields. */
export interface ForHost {
  readonly fields: readonly string[];
  /** Fields of the answer that the host does not receive, since a model does not need them. */
  readonly hides?: readonly string[];
}

export interface Operation<Input, Output> {
  readonly command?: CommandSpec;
  /** The tool for MCP hosts; absent if hosts get none. The field `workflowId` names the run. */
  readonly host?: ForHost;
  /** A sentence that tells people, and a model that chooses a tool, what the operation does. */
  readonly does: string;
  readonly readOnly: boolean;
  /** Whether the operation may have effects that cannot be undone, such as those of approved nodes. */
  readonly destructive: boolean;
  /** Makes the input's schema from zod. A function, since loading zod takes longer than many operations. */
  readonly input: (zod: Z) => z.ZodType<Input>;
  run(plans: Plans, input: Input, waiting?: Waiting): Promise<Output>;
}

/** Declares an operation and infers its types. @param row `readOnly` is true by default, `destructive` false */
export function operation<Input, Output>(
  row: Omit<Operation<Input, Output>, 'readOnly' | 'destructive'> &
    Partial<Pick<Operation<Input, Output>, 'readOnly' | 'destructive'>>,
): Operation<Input, Output> {
  return { readOnly: true, destructive: false, ...row };
}
