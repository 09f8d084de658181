/** Tools made from the operations' rows that have `host`. */

import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { commandRows, type CommandRow } from '../operations/index.ts';
import { contentOf } from './content.ts';
import { resultUri } from './resources.ts';
import type { HostSession } from './host-session.ts';
import { addTool } from './tool.ts';

/** @param rows default: those of the operations */
export async function addRowTools(
  server: McpServer,
  session: HostSession,
  rows?: readonly CommandRow[],
): Promise<void> {
  for (const row of rows ?? (await commandRows())) if (row.host !== undefined) addRowTool(server, session, row);
}

function addRowTool(
  server: McpServer,
  session: HostSession,
  { operation, does, host, fields, ...is }: CommandRow,
): void {
  const parameters = fields.filter(({ name }) => host?.fields.includes(name) === true).map(asParameter);
  const input = z.fromJSONSchema({
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ parameter, schema }) => [parameter, schema])),
    required: parameters.flatMap(({ parameter, isRequired }) => (isRequired ? [parameter] : [])),
    additionalProperties: false,
  }) as z.ZodType<Readonly<Record<string, unknown>>>;
  addTool(server, session, {
    name: operation,
    description: does,
    input,
    also: parameters.some(({ parameter }) => parameter === PLAN) ? { document: PLAN } : {},
    annotations: { readOnlyHint: is.readOnly, destructiveHint: is.destructive, openWorldHint: is.destructive },
    async work(sent, { mcpReq: { signal } }) {
      const named = Object.fromEntries(parameters.map(({ name, parameter }) => [name, sent[parameter]]));
      const filled = await Promise.all(fields.map((field) => filledIn(session, field)));
      const answer: object = await session.perform(operation, Object.assign(named, ...filled) as object, { signal });
      const visible = Object.entries(answer).filter(([name]) => host?.hides?.includes(name) !== true);
      const resource = operation === 'result' && `the resource ${resultUri(String(sent['workflowId']))} has it`;
      return contentOf(Object.fromEntries(visible), resource || undefined);
    },
  });
}

type Parameter = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;
type Field = CommandRow['fields'][number];

/** All tools use one name for a plan document. */
const PLAN = 'plan';

function asParameter({ name, from, isRequired, ...schema }: Field) {
  return { name, isRequired, schema: schema as Parameter, parameter: from === 'source-fields' ? PLAN : name };
}

/** Fields that the operator determines: whether plans are resolved by the project, and which runs are listed. */
async function filledIn({ plans, handedOut: { ids } }: HostSession, { name, from }: Field): Promise<object> {
  if (from === 'project') return { [name]: (await plans.project()) !== undefined };
  return from === 'own-runs' && ids !== undefined ? { [name]: ids } : {};
}
