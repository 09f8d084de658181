/** A long computation as a generator. The caller may do other work between two steps. */

export type Steps<Value> = Generator<void, Value, void>;

export function atOnce<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
