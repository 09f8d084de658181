/** The same tools made with the AI SDK, OpenAI Agents and Mastra. Each writes the id of its call into a ledger. */

import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTool } from '@mastra/core/tools';
import { tool as agentTool } from '@openai/agents';
import { tool } from 'ai';
import { z } from 'zod';

const input = z.object({ amount: z.number().describe('in cents'), until: z.string().default('.') });
const description = 'Pays back a bill.';

/** @param folder of the ledger; a tool waits there for a file named by `until` */
export function foreignTools(folder: string) {
  const refund = async (by: string, key: string | undefined, args: z.output<typeof input>, signal?: AbortSignal) => {
    if (args.amount < 0) throw new Error(`there is no bill of ${args.amount}`);
    appendFileSync(join(folder, 'ledger'), `${by} ${args.amount} ${key}\n`);
    while (!existsSync(join(folder, args.until))) await sleep(20, undefined, { signal });
    return { paid: args.amount };
  };
  return {
    refundByAiSdk: tool({
      ...{ description, inputSchema: input },
      execute: (args, { toolCallId, abortSignal }) => refund('ai', toolCallId, args, abortSignal),
    }),
    refundByAgents: agentTool({
      ...{ name: 'refundByAgents', description, parameters: input },
      execute: (args, _, details) => refund('agents', details?.toolCall?.callId, args, details?.signal),
    }),
    refundByMastra: createTool({
      ...{ id: 'refundByMastra', description, inputSchema: input },
      execute: (args, context) => refund('mastra', context.agent?.toolCallId, args, context.abortSignal),
    }),
    /** Its last value is the result. */
    count: tool({
      description: 'Counts up.',
      inputSchema: z.object({ to: z.number() }),
      async *execute({ to }) {
        for (let at = 1; at <= to; at += 1) {
          await sleep(1);
          yield { counted: at };
        }
      },
    }),
  };
}

export const FOREIGN_EFFECTS = { count: 'read', '*': 'at-most-once' } as const;
