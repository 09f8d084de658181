/** The step that the loop takes for a decision. It is compiled, approved and run like any plan. */

import type { JsonValue } from '../../plan/index.ts';

type JsonObject = Readonly<Record<string, JsonValue>>;

/**
 * The step that a loop takes for a decision, by `is`: a capability, several reads, an agent, a plan, the end of the
 * loop, or none.
 */
export type Step =
  | {
      readonly is: 'capability';
      readonly name: string;
      readonly arguments: JsonObject;
      /** The purpose of the step, in a sentence: people approve it by this. */
      readonly objective: string;
      /** Keys of earlier results for this step; those that it requires by type are added. */
      readonly inputs?: readonly string[];
      /** The type of its result, for steps that require one. */
      readonly expectedOutput?: string;
      /** Its result is the result of the loop; without a result the loop continues. Default: false. */
      readonly ends?: boolean;
    }
  /** Several reads at once, a result each; a failed one does not affect the others. */
  | { readonly is: 'reads'; readonly calls: readonly ReadStep[] }
  | { readonly is: 'agent'; readonly name: string; readonly arguments: JsonObject; readonly objective: string }
  | { readonly is: 'plan'; readonly goal: string; readonly plan: JsonValue; readonly objective: string }
  /** The end; `aborted` if a cap of the policy was reached. */
  | { readonly is: 'finish'; readonly answer: JsonValue; readonly outcome?: 'done' | 'aborted' }
  /** No step: the next round sees why. */
  | { readonly is: 'none'; readonly problem: string };

/** One of several reads of a decision. Its result has its own key, such as `step_3_1`. */
export interface ReadStep {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly objective: string;
  readonly inputs?: readonly string[];
  /** Why it does not run; the others do. */
  readonly problem?: string;
}
