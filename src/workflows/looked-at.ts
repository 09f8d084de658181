/** The details that Temporal's Web UI shows of a run are rendered when somebody looks at them: no turn pays for it. */

import { setCurrentDetails, type WorkflowInterceptors } from '@temporalio/workflow';
import { isOwn } from './own-types.ts';

/** The SDK answers it with the last text that was given to `setCurrentDetails`. */
const METADATA_QUERY = '__temporal_workflow_metadata';

// The modules of this room are loaded anew for each run.
let render: (() => string) | undefined;

/** @param details of the run as it is when they are asked for */
export function whenLookedAt(details: () => string): void {
  render = details;
}

/** Loaded by its path, as an interceptor module of the bundle: the SDK lets no other code see a query of its own. */
export function interceptors(): WorkflowInterceptors {
  if (!isOwn()) return {};
  return {
    internals: [
      {
        activate(input, next) {
          const isAsked = input.activation.jobs?.some(
            ({ queryWorkflow }) => queryWorkflow?.queryType === METADATA_QUERY,
          );
          if (isAsked === true && render !== undefined) setCurrentDetails(render());
          next(input);
        },
      },
    ],
  };
}
