/** The end of a run as a tool's result. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { given } from '../protocol/index.ts';
import { contentOf } from './content.ts';
import { resultUri } from './resources.ts';
import type { HostCall, HostSession } from './host-session.ts';

/** The outcome and the result, or the reason as a tool error. @param more further fields */
export async function endedContent(
  session: HostSession,
  workflowId: string,
  call?: HostCall,
  more = {},
): Promise<CallToolResult> {
  const { receipt, error, ...ending } = await session.perform('ending', { workflowId }, call);
  const answer = { ...ending, ...given({ notes: receipt.notes }), ...more };
  if (error !== undefined) return { ...contentOf({ ...answer, error }), isError: true };
  const result = await session.perform('result', { workflowId }, call);
  const whole = contentOf({ ...answer, value: result });
  if (whole.isError !== true) return whole;
  return contentOf({
    ...answer,
    note: `its value is too large for an answer; the resource ${resultUri(workflowId)} has it`,
  });
}
