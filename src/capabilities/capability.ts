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
  /** The name of the capability: letters, digits, `.`, `_` and `-`. */
  readonly name: Name;
  /** The version. It must change if the meaning of the result changes. Default `1`. */
  readonly version: string;
  readonly description: string;
  /**
   * A third party that wrote the description and argument names, such as `MCP server files`. Models then see them as
   * untrusted data. By default the project wrote them.
   */
  readonly describedBy?: string;
  readonly input: Input;
  readonly output: Kind;
  readonly effect: Effect;
  /**
   * With `false`, the capability does not receive the goal, so its approval and result stay valid if the goal is
   * edited. By default it does, and a new goal needs a new approval.
   */
  readonly usesGoal?: boolean;
  /**
   * Whether strangers may have written the result, as they write web pages: `true`, a text that names the source for
   * people, or a function of the arguments that returns this text or undefined. If the result reaches an effect, the
   * approval card says so, and rules with `untrusted: true` apply. Default false.
   */
  readonly untrusted?: boolean | string | { of(given: z.output<Input>): string | undefined }['of'];
  readonly timeout: CapabilityTimeouts;
  readonly retry: CapabilityRetry;
  /**
   * The cost of one execution, in the project's unit. Approvers see it, and approval rules with `minCost` and
   * `minTotalCost` use it. Each node with a cost gets its own activity.
   */
  readonly cost?: number;
  /**
   * What the capability reads when it runs, beyond what an approval covers, such as `files below ./data`. Approvers see
   * these texts: at most 5, each with 1 to 80 characters. Default: none.
   */
  readonly reads?: readonly string[];
  /**
   * Types of context that the capability needs. Planners add steps with capabilities that provide them (`provides`).
   */
  readonly requires: readonly string[];
  readonly provides: readonly string[];
  /** Advice for planners and agents: when to use the capability, and examples (Osprey: capability guides). */
  readonly guide?: CapabilityGuide;
  /** Allows every plan to use the capability, although the planner does not select it (Osprey: always active). */
  readonly alwaysActive?: boolean;
  /**
   * Checks what the arguments name, such as a file, before people approve the plan. Must change nothing. Returns
   * warnings or, for an effect, what the effect would change (`EffectPreview`). `written` lists the resources to which
   * tasks of this plan write. All checks of a plan share 30 s.
   * @throws CapabilityError that is not `RETRIABLE` if the task would fail: the plan is then rejected; any other error
   * becomes a warning
   */
  readonly look?: Looking<never>;
  /**
   * Tells how the source or target of a result has changed, such as `a.bed has changed`; undefined if unchanged. A run
   * that continues a closed one repeats a read whose source has changed. An effect whose target has changed stays done,
   * with a note.
   */
  changedSince?(result: Result, signal: AbortSignal): Promise<string | undefined>;
}

/** Advice for a planning model: when to use the capability, and examples. */
export interface CapabilityGuide {
  readonly when: string;
  /** Steps or arguments as a plan contains them, each a text. */
  readonly examples?: readonly string[];
}

type Naming<Given> = { of(given: Given): string }['of'];

type LookContext<Given> = Pick<TaskContext<Given>, 'arguments' | 'signal'> & { readonly written: readonly string[] };
/**
 * What an effect would change: rows for people, such as `magnet-12 43.9 A -> 46 A`, and the state of the target. If the
 * state differs just before the effect, the run asks again.
 */
export interface EffectPreview {
  readonly shows: readonly { readonly what: string; readonly now: string; readonly then: string }[];
  /** The state as any JSON value. Only its hash is stored. */
  readonly state: JsonValue;
  readonly warnings?: readonly string[];
}

type Looking<Given> = { of(context: LookContext<Given>): Promise<readonly string[] | EffectPreview> }['of'];

/** Whether an effect happened, with the result that `execute` would have returned; undefined if nobody can tell. */
export type Verified<Kind extends ResultKind = ResultKind> =
  | { readonly happened: true; readonly result: ResultValues[Kind] }
  | { readonly happened: false }
  /** The effect is still running, so the node waits and asks again. `why` says for what it waits. */
  | { readonly happened: 'pending'; readonly why: string }
  | undefined;

/** The call of a capability that undoes an effect. */
export interface InverseCall {
  readonly capability: string;
  readonly arguments: { readonly [name: string]: JsonValue };
}

/** A capability with its own implementation. */
export interface WorkCapability<
  Input extends z.ZodType = z.ZodType,
  Kind extends ResultKind = ResultKind,
  Name extends string = string,
> extends Declared<Input, Kind, Name> {
  readonly kind?: never;
  /**
   * The resource to which an effect writes, such as `magnet-12`, or a function of its arguments: 1 to 200 visible ASCII
   * characters without spaces. Nodes of a run with the same resource run one at a time. Default: no limit.
   */
  readonly resource?: string | Naming<z.output<Input>>;
  /**
   * The resource that it reads, named as by an effect. Its result is untrusted if untrusted values were
   * written there.
   */
  readonly readsResource?: Naming<z.output<Input>>;
  /**
   * The names under which `readsResource` of other capabilities finds the arguments that this one stores, as a read does
   * that keeps a note for later. If untrusted values reach the task, what is read under these names is untrusted.
   */
  readonly writesResources?: { of(given: z.output<Input>): readonly string[] }['of'];
  /**
   * Gives each node its own activity, outside of parts. Use it for work that takes minutes, costs money, or may end or
   * block its process. Default: false, but always true for an effect.
   */
  readonly alone?: boolean;
  /**
   * The current version, if it can change while the worker runs. Called just before each attempt. If the version is not
   * the approved one, the attempt does not begin (`CapabilityChanged`). Default: `version`.
   */
  versionNow?(signal: AbortSignal): Promise<string>;
  /**
   * Finds out whether an at-most-once effect happened, by `idempotencyKey` or by a search, without changing anything.
   * Called if an earlier attempt began the effect but left no result, at most 3 times, 30 s each. If `happened` is
   * true, the node succeeds with the result; if false, a person decides once the earlier attempt can no longer run.
   * With `pending` the node waits and asks again. Return `undefined` if nobody can tell. By default a person is asked.
   */
  verify?(task: TaskContext<z.output<Input>>): Promise<Verified<Kind>> | Verified<Kind>;
  /**
   * The call that undoes an effect with this result; undefined if no call does. It must depend on nothing else, since
   * the worker computes it again before it makes the call. `planwright undo RUN` writes these calls as a plan.
   */
  inverse?(
    task: Pick<TaskContext<z.output<Input>>, 'arguments' | 'task'>,
    result: ResultValues[Kind],
  ): InverseCall | undefined;
  /**
   * What the task lacks before it can begin, such as `a licence of the solver`; undefined if it lacks nothing. Called
   * right before each attempt. The node waits and shows the text.
   */
  waitsFor?(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Executes the task with parsed arguments. A method, so that capabilities with different arguments fit into one list.
   */
  execute(task: TaskContext<z.output<Input>>): Promise<ResultValues[Kind]> | ResultValues[Kind];
}

/** A capability that asks a person. The answer becomes the result; for a set, the answer is a list of ids. */
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
 * One declaration for both kinds. With overloads, the compiler would explain an error in `execute` by the wrong one.
 */
export interface Declaration<Input extends z.ZodType, Kind extends ResultKind, Name extends string, Asks extends Asking>
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
 * Declares a capability. With `kind: 'wait'` it asks a person, and its `execute` returns the question.
 * @throws TypeError if the declaration is invalid
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
const UNTRUSTED = 'is true, false, a text that is not blank, or a function of the arguments';
const isSourceText = (one: unknown) => typeof one === 'boolean' || typeof one === 'function' || isWords(one);
const READS = `is a list of at most ${MAX_READS} texts of 1 to ${MAX_READ} characters`;
const isReadText = (one: unknown) => isWords(one) && one.length <= MAX_READ;
const PROBE = 'is a function that asks whether the effect happened';
const DECLARATION = z.looseObject({
  kind: z.literal('wait', 'is "wait" or absent').optional(),
  cost: z.number(COST).min(0, COST).optional(),
  reads: z
    .custom((value) => Array.isArray(value) && value.length <= MAX_READS && value.every(isReadText), READS)
    .optional(),
  untrusted: z.custom(isSourceText, UNTRUSTED).optional(),
  alwaysActive: flag,
  alone: flag,
  verify: z.custom((value) => typeof value === 'function', PROBE).optional(),
  inverse: z.custom((value) => typeof value === 'function', 'is a function that returns a call').optional(),
  // Rejects invalid timeouts here: Temporal would reject the command with the timeout, and the run would wait forever.
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

function contradiction(declaration: AnyDeclaration): string | undefined {
  const { kind, retry } = declaration;
  const { resource, effect }: { readonly resource?: unknown; readonly effect: Effect } = declaration;
  if (effect === 'at-most-once' && (retry?.attempts ?? 1) !== 1) {
    return `an at-most-once capability has one attempt, not ${retry?.attempts}`;
  }
  if (effect === 'read' && 'verify' in declaration && declaration.verify !== undefined)
    return 'its effect is read, and a read is repeated; leave verify out';
  if (effect === 'read' && 'inverse' in declaration && declaration.inverse !== undefined)
    return 'its effect is read, and a read has nothing to undo; leave inverse out';
  const problem = declarationProblem(DECLARATION, declaration) ?? resourceProblem(resource, effect);
  if (problem !== undefined || kind !== 'wait' || effect === 'read') return problem;
  return `it asks a person, so its effect is read, not ${describe(effect)}; let a later task do what the answer says`;
}
