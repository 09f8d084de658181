/** An update that is too large is refused by its size: none of it is decoded, and the other messages are heard. */

import type { WorkflowInterceptors } from '@temporalio/workflow';
import type { Malformed } from '../protocol/index.ts';
import { isOwn } from './own-types.ts';
import { payloadConverter } from './payload-converter.js';

/**
 * An update that is taken is sent back with the workflow task, and the server takes 4 MiB in one call: more at once than that
 * would fail the task for ever. It lets 10 updates in at a time (`history.maxInFlightUpdates`).
 */
const MAX_UPDATE_BYTES = 256 * 1024;

/** Loaded by its path, as an interceptor module of the bundle. */
export function interceptors(): WorkflowInterceptors {
  if (!isOwn()) return {};
  return {
    internals: [
      {
        activate(input, next) {
          for (const { doUpdate: update } of input.activation.jobs ?? []) {
            // An update that is replayed was accepted before.
            if (update?.runValidator !== true) continue;
            const bytes = (update.input ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
            if (bytes > MAX_UPDATE_BYTES) update.input = [payloadConverter.toPayload(tooLarge(bytes))];
          }
          next(input);
        },
      },
    ],
  };
}

function tooLarge(bytes: number): Malformed {
  const reason = `an update takes at most ${MAX_UPDATE_BYTES} bytes as JSON, this one ${bytes}; put a plan into the result store and send its "ref", or send it as a signal`;
  return { malformed: true, encoding: 'json/plain', reason };
}
