/** The run that a draft is handed off to. */

import type { PlanDocument } from '../../plan/index.ts';
import type { StartRun } from '../../capabilities/builtin/drafts/index.ts';
import { given } from '../../protocol/index.ts';
import type { Session } from './connect.ts';

/** @param by who starts it, where the session signs */
export function startOnce({ plans }: Session, by?: string): StartRun {
  return (document, once, conversation) => {
    const options = given({ conversation });
    return plans.start(document as PlanDocument, { once, options, ...given({ by }) });
  };
}
