/** The end of a run as the result of a tool. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { given } from '../protocol/index.ts';
import { contentOf } from './content.ts';
import { resultUri } from './resources.ts';
import type { Call, Room } from './room.ts';

/**
 * Its outcome with its result; of a run that ended otherwise the reason, as an error of the tool.
 * @param more what else the host is told
 */
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
