/**
 * A signal that no worker can decrypt must not stop a run, and keys that are added or removed later must not change a
 * replay. So a marker in the history records each signal that could not be decrypted on arrival. It uses `patched()`,
 * since the SDK has no other record that a replay reads. Test: test/workflows/encryption.test.ts. Remove this file when
 * the SDK records the value of a side effect.
 */

import { patched, workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { isUndecrypted, type Malformed } from '../../protocol/index.ts';
import { inClear } from '../failure-converter.js';
import { isOwn } from './activations.ts';
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

/** The worker loads this interceptor module of the bundle by its path. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  if (!isOwn()) return {};
  let signals = 0;
  return {
    inbound: [
      {
        execute: (input, next) => next({ ...input, args: argsAtArrival(input.args, 'input') }),
        handleSignal: (input, next) => next({ ...input, args: argsAtArrival(input.args, `signal ${(signals += 1)}`) }),
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
            // If an update comes without validation, this is a replay: a worker with the key accepted the update before.
            if (doUpdate?.runValidator !== true && hasSealed(doUpdate?.input)) throw lacksKey('an update');
          }
          next(input);
        },
      },
    ],
  };
};

function argsAtArrival(args: unknown[], place: string): unknown[] {
  const isNow = args.some(isUndecrypted);
  if (!isNow && !workflowInfo().unsafe.isReplaying) return args;
  // In a replay `patched` reads the marker. Otherwise it writes the marker.
  const itWas = patched(`undecrypted ${place}`);
  if (isNow && !itWas) throw lacksKey(`the ${place} of this run`);
  return itWas && !isNow ? args.map(() => CAME_UNDECRYPTED) : args;
}

function lacksKey(what: string): Error {
  return inClear(
    new Error(`this worker lacks the key of ${what}; give it the key ("encryption" of planwright.config.ts)`),
  );
}

function hasSealed(payloads: Payloads): boolean {
  return payloads?.some(isSealed) === true;
}

/** Whether the details of a failure are encrypted. Its texts do not matter, since only people read them. */
function isSealedIn(failure: Failure | null | undefined): boolean {
  if (failure == null) return false;
  const { applicationFailureInfo: application, canceledFailureInfo: cancelled, cause } = failure;
  return hasSealed(application?.details?.payloads) || hasSealed(cancelled?.details?.payloads) || isSealedIn(cause);
}
