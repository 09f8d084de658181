/** Checks the values that a stage returns. They must be declared, and their depth is limited. They are then frozen. */

import { PolicyError, type AnyDecision } from '../../capabilities/policy/index.ts';
import { describeValue, listNames, quote } from '../../plan/text/index.ts';
import { isDeeperThan } from '../../protocol/index.ts';

export const STATE_BYTES = 1_048_576;
/** The limit on the levels of a decision or a part of the state: twice the limit for the arguments of a call. */
const LEVELS = 128;

export function writtenBy<State>(
  stage: string,
  writes: readonly string[],
  patch: Partial<State> | undefined,
  state: State,
): readonly string[] {
  if (patch === undefined) return [];
  const undeclared = Object.keys(patch).filter((key) => !writes.includes(key));
  if (undeclared.length > 0) {
    const may = writes.length === 0 ? 'nothing' : listNames(writes);
    const message = `stage ${stage} wrote ${listNames(undeclared)}, and declares ${may}; add it to its "writes"`;
    throw new PolicyError('undeclared-write', message, { stage });
  }
  flat(stage, 'wrote', patch);
  return Object.keys(patch).filter((key) => patch[key as keyof State] !== state[key as keyof State]);
}

export function checkedDecision<Decision extends AnyDecision>(
  { name, actions }: { readonly name: string; readonly actions: ReadonlyMap<string, unknown> },
  stage: string,
  decision: Decision,
): Decision {
  const { action } = (decision ?? {}) as Partial<Decision>;
  if (typeof action === 'string' && actions.has(action)) {
    flat(stage, 'decided', decision);
    return frozen(decision);
  }
  const got = typeof action === 'string' ? quote(action) : describeValue(decision);
  const message = `stage ${stage} decided ${got}; policy ${name} has the actions ${listNames([...actions.keys()])}`;
  throw new PolicyError('unknown-action', message, { stage });
}

export function checkState(policy: string, state: object): void {
  const text = JSON.stringify(state);
  if (text.length > STATE_BYTES) {
    throw new PolicyError(
      'too-large',
      `the state of policy ${policy} has ${text.length} characters of JSON, and may have ${STATE_BYTES}; keep results in the store and name them`,
    );
  }
}

/** Rejects a value that is too deep. Freezing, comparing and storing a value are recursive. */
function flat(stage: string, what: 'decided' | 'wrote', value: unknown): void {
  if (!isDeeperThan(LEVELS, value)) return;
  const message = `stage ${stage} ${what} more than ${LEVELS} levels of lists and objects; keep such a value in the store, as a text`;
  throw new PolicyError('too-large', message, { stage });
}

/** Freezes a value with everything in it, so that a stage that changes its input throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) frozen(one);
  }
  return value;
}
