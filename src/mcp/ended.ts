/** The end of a run as a tool's result. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { given } from '../protocol/index.ts';
import { contentOf } from './content.ts';
import { resultUri } from './resources.ts';
import type { Call, Room } from './room.ts';

/** The outcome and the result, or the reason as a tool error. @param more further fields */
export async function endedContent(room: Room, workflowId: string, call?: Call, more = {}): Promise<CallToolResult> {
  const { receipt, error, ...ending } = await room.perform('ending', { workflowId }, call);
  const said = { ...ending, ...given({ notes: receipt.notes }), ...more };
  if (error !== undefined) return { ...contentOf({ ...said, error }), isError: true };
  const result = await room.perform('result', { workflowId }, call);
  const whole = contentOf({ ...said, value: result });
  if (whole.isError !== true) return whole;
  return contentOf({
    ...said,
    note: `its value is too large for an answer; the resource ${resultUri(workflowId)} has it`,
  });
}
