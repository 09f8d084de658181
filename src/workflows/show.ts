/** What a run shows without being asked: its details in the Web UI, and to the inboxes whom it waits for. */

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { WAITS_FOR_ATTRIBUTE } from '../contract/index.ts';
import { detailsOf, rolesWaitedFor, type Run } from '../run/index.ts';

const WAITS_FOR = defineSearchAttributeKey(WAITS_FOR_ATTRIBUTE, SearchAttributeType.KEYWORD_LIST);

/** Rendering the details is the dearest part of a small turn; a large run shows every hundredth part of its way. */
const RENDERINGS = 100;

export interface Screen {
  /** Once a turn. */
  show(): void;
}

export function createScreen(run: Run): Screen {
  let shown = -1;
  return {
    show() {
      const counts = run.execution?.progress.counts;
      const total = run.execution?.slice.inputs.length ?? 0;
      const done = (counts?.succeeded ?? 0) + (counts?.reused ?? 0);
      if (!run.isNews && done - shown < total / RENDERINGS) return;
      if (run.isNews) showWaiting(run);
      run.isNews = false;
      shown = done;
      setCurrentDetails(detailsOf(run));
    },
  };
}

/** Only where the attribute is registered: an unknown one stops a run. */
function showWaiting(run: Run): void {
  const { dialogue } = run;
  if (!dialogue.project.inbox) return;
  const roles = rolesWaitedFor(run);
  if (roles.join('\n') === dialogue.shownRoles) return;
  dialogue.shownRoles = roles.join('\n');
  upsertSearchAttributes([{ key: WAITS_FOR, value: roles.length === 0 ? null : [...roles] }]);
}
