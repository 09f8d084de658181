/** An operation: one thing that can be done with plans, runs, conversations and results, in JSON. */

import type { z } from 'zod';
import type { JsonValue } from '../plan/index.ts';
import type { Question } from '../protocol/index.ts';
import type { Plans } from './plans.ts';

export type Z = typeof z;

/** The caller of a long operation. Every member is optional. */
export interface Waiting {
  /** Ends the wait with the signal's reason. The run goes on. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((line: ProgressLine) => void) | undefined;
  /** Answers a question. Undefined, or without `ask`: the question stays open. */
  readonly ask?: ((question: Question) => Promise<JsonValue | undefined>) | undefined;
  /**
   * The most bytes of a stored result that are read. A larger one is REFUSED, with its handle as `large`. With 0 only
   * the handle is returned.
   */
  readonly most?: number | undefined;
}

/** `is` tells lines apart that look alike, such as stages of planning. */
export interface ProgressLine {
  readonly is: string;
  readonly text: string;
}

/**
 * How a typed text becomes the value of a field. `asked`: by the type of the field; at a terminal a missing one is
 * asked. `none`, `columns`, `project` and `own-runs`: it is not typed.
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

export const textField = (zod: Z, about: string) => zod.string().optional().describe(about);
export const flagField = (zod: Z, about: string) => zod.boolean().optional().describe(about);
export const countField = (zod: Z, about: string, min = 1) => zod.int().min(min).optional().describe(about);
export const namesField = (zod: Z, about: string) => zod.array(zod.string()).readonly().optional().describe(about);
export const choiceField = <const One extends string>(zod: Z, choices: readonly One[], about: string) =>
  zod.enum(choices).optional().describe(about);

/** Options that are no input: of the project, the signature, the wait. */
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
  /** As typed: `store gc`, or with positional fields `diff <before> <after>`. */
  readonly words: string;
  readonly example?: string;
  readonly place?: readonly PlaceFlag[];
  /** How fields and options are read. Default: by their types; a field of another type cannot be typed. */
  readonly from?: Readonly<Record<string, From>>;
  /** Options that are no input: the form of the answer, or a field in other words. */
  readonly flags?: (zod: Z) => Readonly<Record<string, z.ZodType>>;
  /** More for the help, after `does`, such as the meaning of the exit. */
  readonly more?: string;
  /** The fields that are printed as text, in order. Default: all. */
  readonly shows?: Readonly<Record<string, FieldForm>>;
  readonly hides?: readonly string[];
  /** Lists of the JSON form. With jsonl each of their items is a line. Default: the answer is one line. */
  readonly lines?: readonly string[];
}

/** The tool of an operation for an MCP host. Its parameters are made from the input fields. */
export interface ForHost {
  readonly fields: readonly string[];
  /** Fields of the answer that a model does not need. */
  readonly hides?: readonly string[];
}

export interface Operation<Input, Output> {
  readonly command?: CommandSpec;
  /** Absent: the operation is no tool. The field `workflowId` names the run. */
  readonly host?: ForHost;
  /** A sentence for people, and for a model that chooses a tool. */
  readonly does: string;
  readonly readOnly: boolean;
  /** May have effects that cannot be undone, such as those of approved nodes. */
  readonly destructive: boolean;
  /** A function of zod, since zod takes longer to load than many operations take. */
  readonly input: (zod: Z) => z.ZodType<Input>;
  run(plans: Plans, input: Input, waiting?: Waiting): Promise<Output>;
}

/** Declares an operation; its types are inferred. @param row `readOnly` is true by default, `destructive` false */
export function operation<Input, Output>(
  row: Omit<Operation<Input, Output>, 'readOnly' | 'destructive'> &
    Partial<Pick<Operation<Input, Output>, 'readOnly' | 'destructive'>>,
): Operation<Input, Output> {
  return { readOnly: true, destructive: false, ...row };
}
