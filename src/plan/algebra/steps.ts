/** Long computations in steps; the caller may do other things between two of them. */

export type Steps<Value> = Generator<void, Value, void>;

/** Runs all steps without a pause. */
export function atOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
