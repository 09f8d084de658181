/** The tools that only read: each is a row of the operations, with the fields of it that a host may give. */

import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { OPERATIONS, type OperationName } from '../operations/index.ts';
import { contentOf, failureOf } from './content.ts';
import { resultUri } from './resources.ts';
import type { Room } from './room.ts';
import { asSent } from './sent.ts';

interface ReadTool {
  readonly row: OperationName;
  readonly fields: readonly string[];
  /** The fields that the operator or the room fills in. */
  readonly more?: (room: Room) => Promise<object> | object;
}

/** A plan is resolved where there is a project to resolve it in. */
const inProject = async ({ plans }: Room) => ({ resolve: (await plans.project()) !== undefined });

const TOOLS: readonly ReadTool[] = [
  { row: 'compile', fields: ['document', 'format'], more: inProject },
  { row: 'explain', fields: ['document'], more: inProject },
  { row: 'capabilities', fields: [] },
  {
    row: 'list',
    fields: ['limit', 'open'],
    more: ({ handedOut: { ids } }) => (ids === undefined ? {} : { only: ids }),
  },
  { row: 'status', fields: ['workflowId', 'nodes'] },
  { row: 'why', fields: ['workflowId', 'node'] },
  { row: 'result', fields: ['workflowId', 'node', 'format'] },
];

export async function addReadTools(server: McpServer, room: Room): Promise<void> {
  for (const { row, fields, more } of TOOLS) {
    const { does, input } = await OPERATIONS[row]();
    const { shape } = input(z) as unknown as z.ZodObject<Record<string, z.ZodType>>;
    const inputSchema = asSent(z.strictObject(Object.fromEntries(fields.map((field) => [field, shape[field]!]))));
    const annotations = { readOnlyHint: true, openWorldHint: false };
    server.registerTool(row, { description: does, inputSchema, annotations }, async (given, { mcpReq }) => {
      const { workflowId } = given as { readonly workflowId?: string };
      try {
        if (workflowId !== undefined) await room.handedOut.check(workflowId);
        const { signal } = mcpReq;
        const answer = await room.perform(row, { ...given, ...(await more?.(room)) }, { signal });
        const resource = workflowId === undefined ? undefined : `the resource ${resultUri(workflowId)} has it`;
        return contentOf(answer, row === 'result' ? resource : undefined);
      } catch (error) {
        if (mcpReq.signal.aborted) throw error;
        return failureOf(error, room.plans.typed);
      }
    });
  }
}
