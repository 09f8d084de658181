/** The search attributes of a run: they tell the inboxes whom it waits for. */

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { WAITS_FOR_ATTRIBUTE } from '../protocol/index.ts';

const WAITS_FOR = defineSearchAttributeKey(WAITS_FOR_ATTRIBUTE, SearchAttributeType.KEYWORD_LIST);

/** Only where the attribute is registered: an unknown one stops a run. @param roles undefined where nothing is new */
export function showWaiting(roles: readonly string[] | undefined): void {
  if (roles === undefined) return;
  upsertSearchAttributes([{ key: WAITS_FOR, value: roles.length === 0 ? null : [...roles] }]);
}
