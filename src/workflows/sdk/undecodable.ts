/**
 * What no worker can decrypt must not stop a run, and a key that comes or goes later must not change what the run has made of
 * it. So the history says which signals could not be decrypted when they came, by a marker for each.
 *
 * `patched()` is meant for versions. It is used here since the SDK has no other record that a replay reads: to fail the task, as for
 * updates and results, would let anybody who may send a signal stop a run. Tried by test/workflows/encryption.test.ts. It goes
 * when the SDK records the value of a side effect.
 */

import { patched, workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { isUndecrypted, type Malformed } from '../../protocol/index.ts';
import { inClear } from '../failure-converter.js';
import { isOwn } from './own-types.ts';
import { isSealed } from '../payload-converter.js';

const CAME_UNDECRYPTED: Malformed = {
  malformed: true,
  encoding: 'binary/encrypted',
  reason: 'it is encrypted, and its key was missing when it came',
};

type Payloads = NonNullable<Parameters<typeof isSealed>[0]>[] | null | undefined;
type Failure = {
  readonly cause?: Failure | null;
  readonly applicationFailureInfo?: { readonly details?: { readonly payloads?: Payloads } | null } | null;
  readonly canceledFailureInfo?: { readonly details?: { readonly payloads?: Payloads } | null } | null;
};

/** Loaded by its path, as an interceptor module of the bundle. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  if (!isOwn()) return {};
  let signals = 0;
  return {
    inbound: [
      {
        execute: (input, next) => next({ ...input, args: asTheyCame(input.args, 'input') }),
        handleSignal: (input, next) => next({ ...input, args: asTheyCame(input.args, `signal ${(signals += 1)}`) }),
      },
    ],
    internals: [
      {
        activate(input, next) {
          for (const { resolveActivity, resolveChildWorkflowExecution: child, doUpdate } of input.activation.jobs ??
            []) {
            const ended = resolveActivity?.result ?? child?.result;
            if (isSealed(ended?.completed?.result) || isSealedIn(ended?.failed?.failure ?? ended?.cancelled?.failure))
              throw lacksKey('what another worker has told');
            // One that is replayed was accepted: it could be read.
            if (doUpdate?.runValidator !== true && hasSealed(doUpdate?.input)) throw lacksKey('an update');
          }
          next(input);
        },
      },
    ],
  };
};

function asTheyCame(args: unknown[], place: string): unknown[] {
  const isNow = args.some(isUndecrypted);
  if (!isNow && !workflowInfo().unsafe.isReplaying) return args;
  // In a replay it tells what is in the history; else it writes the marker.
  const itWas = patched(`undecrypted ${place}`);
  if (isNow && !itWas) throw lacksKey(`the ${place} of this run`);
  return itWas && !isNow ? args.map(() => CAME_UNDECRYPTED) : args;
}

/** It fails the workflow task, which the server retries until a worker that has the key takes it. */
function lacksKey(what: string): Error {
  return inClear(
    new Error(`this worker lacks the key of ${what}; give it the key ("encryption" of planwright.config.ts)`),
  );
}

function hasSealed(payloads: Payloads): boolean {
  return payloads?.some(isSealed) === true;
}

/** Whether something that the run reads of a failure is sealed. Its texts are for people. */
function isSealedIn(failure: Failure | null | undefined): boolean {
  if (failure == null) return false;
  const { applicationFailureInfo: application, canceledFailureInfo: cancelled, cause } = failure;
  return hasSealed(application?.details?.payloads) || hasSealed(cancelled?.details?.payloads) || isSealedIn(cause);
}
