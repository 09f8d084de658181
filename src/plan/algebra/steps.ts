/** Long work in steps: its caller may give others a turn between two of them. */

export type Steps<Value> = Generator<void, Value, void>;

/**
 * Runs all steps, one right after the other.
 *
 * @example const set = atOnce(builder.buildSteps());
 */
export function atOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
