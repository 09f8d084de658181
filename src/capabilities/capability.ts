import { z } from 'zod';
import type { Effect, JsonValue } from '../plan/index.ts';
import type { Result } from '../store/index.ts';
import {
  type CapabilityRetry,
  type CapabilityTimeouts,
  type ResultValues,
  type TaskContext,
  resourceProblem,
} from './task-context.ts';
import { describe, type Question, type ResultKind } from '../protocol/index.ts';
import { count, declarationProblem, isWords, objectOf } from './read-arguments.ts';

interface Declared<Input extends z.ZodType, Kind extends ResultKind, Name extends string> {
  /** Letters, digits, `.`, `_` and `-`. */
  readonly name: Name;
  /** Changes with the meaning of the result. Default `1`. */
  readonly version: string;
  readonly description: string;
  /**
   * Set this if a third party wrote the description and the argument names, such as `MCP server files`: models see them
   * as data, between marks. Default: the project wrote them.
   */
  readonly describedBy?: string;
  readonly input: Input;
  readonly output: Kind;
  readonly effect: Effect;
  /**
   * With `false` it does not receive the goal, so its approval and result stay valid if the goal is edited. Default: it
   * receives the goal, and a new goal asks again.
   */
  readonly usesGoal?: boolean;
  readonly timeout: CapabilityTimeouts;
  readonly retry: CapabilityRetry;
  /**
   * The cost of one execution, in the project's unit; people see it before they approve, and rules with `minCost` and
   * `minTotalCost` use it. Each of its nodes gets its own activity.
   */
  readonly cost?: number;
  /**
   * What it reads at run time and no approval binds, such as `files below ./data`, shown to the person who approves: at
   * most 5 texts of 1 to 80 characters. Default: none.
   */
  readonly reads?: readonly string[];
  /** Context types that it needs and gives, for planners. */
  readonly requires: readonly string[];
  readonly provides: readonly string[];
  /** For planners and agents: when to use it, and examples (Osprey: capability guides). */
  readonly guide?: CapabilityGuide;
  /** Every plan may use it; the planner does not select it (Osprey: always active). */
  readonly alwaysActive?: boolean;
  /**
   * Checks what the arguments name, such as a file, before anybody is asked about the plan. It changes nothing and
   * returns warnings, or for an effect above read what it would change (`EffectPreview`). `written` are the resources that tasks of this plan write to. All looks at a plan share 30 s.
   * @throws CapabilityError, not `RETRIABLE`, if the task would fail: its plan is refused; any other error is a warning
   */
  readonly look?: Looking<never>;
  /**
   * Says how the source or target of a result differs by now, such as `a.bed has changed`; undefined if it does not. A
   * run that continues a closed one then repeats a read, and reports it for an effect, which stays done.
   */
  changedSince?(result: Result, signal: AbortSignal): Promise<string | undefined>;
}

/** Advice for a planning model: when to use the capability, and examples. */
export interface CapabilityGuide {
  readonly when: string;
  /** Steps or arguments as in a plan, each a text. */
  readonly examples?: readonly string[];
}

/** The type of a method, like `execute`, so that a list can hold capabilities of any arguments. */
type Naming<Given> = { of(given: Given): string }['of'];

type LookContext<Given> = Pick<TaskContext<Given>, 'arguments' | 'signal'> & { readonly written: readonly string[] };
/**
 * What an effect would change: rows for people, such as `magnet-12  43.9 A -> 46 A`, and the state that they are from. If
 * the state is another one right before the effect, the run asks again.
 */
export interface EffectPreview {
  readonly shows: readonly { readonly what: string; readonly now: string; readonly then: string }[];
  /** Any JSON; only its hash is stored. */
  readonly state: JsonValue;
  readonly warnings?: readonly string[];
}

type Looking<Given> = { of(context: LookContext<Given>): Promise<readonly string[] | EffectPreview> }['of'];

/** Whether an effect happened, with the result that `execute` would have returned; undefined if nobody can tell. */
export type Verified<Kind extends ResultKind = ResultKind> =
  | { readonly happened: true; readonly result: ResultValues[Kind] }
  | { readonly happened: false }
  | undefined;

/** A capability with its own implementation. */
export interface WorkCapability<
  Input extends z.ZodType = z.ZodType,
  Kind extends ResultKind = ResultKind,
  Name extends string = string,
> extends Declared<Input, Kind, Name> {
  readonly kind?: never;
  /**
   * The resource that an effect above read writes to, such as `magnet-12`, or a function of its arguments. 1 to 200
   * visible ASCII characters without spaces. Of the nodes of a run that write to one resource, one runs at a time.
   * Default: no limit.
   */
  readonly resource?: string | Naming<z.output<Input>>;
  /**
   * Each node gets its own activity and is in no part: for work of minutes, work that costs money, and work that may
   * end or block its process. Default false; always true for an effect above read.
   */
  readonly alone?: boolean;
  /**
   * Its current version, if it can change while its worker runs. Called right before each attempt: if it is not the
   * approved one, the attempt does not begin (`CapabilityChanged`). Default: `version`.
   */
  versionNow?(signal: AbortSignal): Promise<string>;
  /**
   * Asks the target whether an at-most-once effect happened, by `idempotencyKey` or by a search of its own; it changes
   * nothing. Called if an attempt finds that an earlier one has begun the effect and left no result: 3 times at most, 30
   * s each. With `happened: true` the result is stored and the node succeeds. With `happened: false` a person decides,
   * once the earlier attempt can no longer run. Return `undefined` if it cannot tell. Default: a person is asked.
   */
  verify?(task: TaskContext<z.output<Input>>): Promise<Verified<Kind>> | Verified<Kind>;
  /** A method, so that a list can hold capabilities of any arguments; the registry parses them before the call. */
  execute(task: TaskContext<z.output<Input>>): Promise<ResultValues[Kind]> | ResultValues[Kind];
}

/**
 * A capability that asks a person. The answer becomes the result, of the kind in `output`; for a set, a list of ids.
 */
export interface WaitCapability<
  Input extends z.ZodType = z.ZodType,
  Kind extends ResultKind = ResultKind,
  Name extends string = string,
> extends Declared<Input, Kind, Name> {
  readonly kind: 'wait';
  readonly effect: 'read';
  execute(task: TaskContext<z.output<Input>>): Promise<Question> | Question;
}

/** A capability of a project: one with an implementation, or one that asks a person (`kind: 'wait'`). */
export type Capability<
  Input extends z.ZodType = z.ZodType,
  Kind extends ResultKind = ResultKind,
  Name extends string = string,
> = WorkCapability<Input, Kind, Name> | WaitCapability<Input, Kind, Name>;

type Optional = 'version' | 'timeout' | 'retry' | 'requires' | 'provides';

/**
 * One declaration for both kinds: with two signatures the compiler would explain a wrong `execute` by the wrong one.
 */
interface Declaration<Input extends z.ZodType, Kind extends ResultKind, Name extends string, Asks extends Asking>
  extends
    Omit<WorkCapability<Input, Kind, Name>, Optional | 'kind' | 'effect' | 'look' | 'execute'>,
    Partial<Pick<Declared<Input, Kind, Name>, Optional>> {
  readonly kind?: Asks;
  readonly effect: [Asks] extends [undefined] ? Effect : 'read';
  readonly look?: Looking<z.output<Input>>;
  execute(
    task: TaskContext<z.output<Input>>,
  ): [Asks] extends [undefined] ? Promise<ResultValues[Kind]> | ResultValues[Kind] : Promise<Question> | Question;
}

type Asking = 'wait' | undefined;
type AnyDeclaration =
  | Declaration<z.ZodType, ResultKind, string, 'wait'>
  | Declaration<z.ZodType, ResultKind, string, undefined>;

const NAME = /^[A-Za-z][\w.-]{0,79}$/;
const MAX_READS = 5;
const MAX_READ = 80;

/**
 * Declares a capability. With `kind: 'wait'` it asks a person: its `execute` returns the question.
 * @throws TypeError if the declaration contradicts itself
 * @example
 * const square = defineCapability({
 *   name: 'square',
 *   description: 'The square of a number.',
 *   input: z.object({ of: z.number() }),
 *   output: 'value',
 *   effect: 'read',
 *   execute: (task) => task.arguments.of ** 2,
 * });
 */
export function defineCapability<
  Input extends z.ZodType,
  Kind extends ResultKind,
  Name extends string,
  Asks extends Asking = undefined,
>(
  declaration: Declaration<Input, Kind, Name, Asks>,
): [Asks] extends [undefined] ? WorkCapability<Input, Kind, Name> : WaitCapability<Input, Kind, Name>;
export function defineCapability(declaration: AnyDeclaration): Capability {
  const { name, retry = {} } = declaration;
  if (!NAME.test(name)) {
    throw new TypeError(`capability ${JSON.stringify(name)}: a name is letters, digits, ".", "_" and "-", at most 80`);
  }
  const problem = contradiction(declaration);
  if (problem !== undefined) throw new TypeError(`capability ${name}: ${problem}`);
  return { version: '1', timeout: {}, requires: [], provides: [], ...declaration, retry } as Capability;
}

const flag = z.boolean('is true or false').optional();
const COST = 'is a finite number from 0';
const FACTOR = 'is a number from 1';
const READS = `is a list of at most ${MAX_READS} texts of 1 to ${MAX_READ} characters`;
const isRead = (one: unknown) => isWords(one) && one.length <= MAX_READ;
const PROBE = 'is a function that asks whether the effect happened';
const DECLARATION = z.looseObject({
  kind: z.literal('wait', 'is "wait" or absent').optional(),
  cost: z.number(COST).min(0, COST).optional(),
  reads: z
    .custom((value) => Array.isArray(value) && value.length <= MAX_READS && value.every(isRead), READS)
    .optional(),
  alwaysActive: flag,
  alone: flag,
  verify: z.custom((value) => typeof value === 'function', PROBE).optional(),
  // The server refuses a command with an invalid timeout, and the run would hang.
  timeout: z
    .strictObject(
      { startToCloseMs: count, heartbeatMs: count } satisfies Record<keyof CapabilityTimeouts, z.ZodType>,
      objectOf('startToCloseMs?, heartbeatMs?'),
    )
    .optional(),
  retry: z
    .strictObject(
      {
        attempts: count,
        initialMs: count,
        factor: z.number(FACTOR).min(1, FACTOR).optional(),
      } satisfies Record<keyof CapabilityRetry, z.ZodType>,
      objectOf('attempts?, initialMs?, factor?'),
    )
    .optional(),
  // A blank field would be an empty heading in a prompt.
  guide: z
    .strictObject(
      {
        when: z.custom(isWords, 'is a text that is not blank'),
        examples: z.array(z.custom(isWords, 'is a text that is not blank'), 'is a list of texts').optional(),
      } satisfies Record<keyof CapabilityGuide, z.ZodType>,
      objectOf('when, examples?'),
    )
    .optional(),
});

/** Plain JavaScript ignores the types. */
function contradiction(declaration: AnyDeclaration): string | undefined {
  const { kind, retry } = declaration;
  const { resource, effect }: { readonly resource?: unknown; readonly effect: Effect } = declaration;
  if (effect === 'at-most-once' && (retry?.attempts ?? 1) !== 1) {
    return `an at-most-once capability has one attempt, not ${retry?.attempts}`;
  }
  if (effect === 'read' && 'verify' in declaration && declaration.verify !== undefined)
    return 'its effect is read, and a read is repeated; leave verify out';
  const problem = declarationProblem(DECLARATION, declaration) ?? resourceProblem(resource, effect);
  if (problem !== undefined || kind !== 'wait' || effect === 'read') return problem;
  return `it asks a person, so its effect is read, not ${describe(effect)}; let a later task do what the answer says`;
}
