/** Plans and results of runs as resources. */

import { ProtocolError, ProtocolErrorCode, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';
import { OperationError, toOperationError } from '../operations/index.ts';
import type { Room } from './room.ts';

const PLANS = 'planwright://plans/';
const RESULTS = 'planwright://results/';
/** Bytes of one resource. */
const MOST_BYTES = 8 * 2 ** 20;
/** Milliseconds that a result is waited for which is not there yet. */
const WAIT_MS = 2000;

/** @example planUri('plan-count-5c1f') // 'planwright://plans/plan-count-5c1f' */
export function planUri(workflowId: string): string {
  return `${PLANS}${workflowId}`;
}

export function resultUri(workflowId: string): string {
  return `${RESULTS}${workflowId}`;
}

export function addResources(server: McpServer, room: Room): void {
  const listed = (uriOf: (id: string) => string, of: string) => () => ({
    resources: (room.handedOut.ids ?? []).map((id) => ({ uri: uriOf(id), name: `${of} of ${id}` })),
  });
  const plans = new ResourceTemplate(`${PLANS}{run}`, { list: listed(planUri, 'plan') });
  const results = new ResourceTemplate(`${RESULTS}{run}`, { list: listed(resultUri, 'result') });
  const ofNodes = new ResourceTemplate(`${RESULTS}{run}/{node}`, { list: undefined });
  const text = { mimeType: 'text/plain' };
  const json = { mimeType: 'application/json' };
  const value = (workflowId: string, node?: string) => resultOf(room, workflowId, node);

  server.registerResource(
    'plan',
    plans,
    { ...text, description: 'The plan that a run shows, with its digest.' },
    (uri, { run }) =>
      read(uri, text, room, async () => {
        const shown = await room.perform('shown', { workflowId: await checked(room, run), whole: false });
        return `revision ${shown.revision}, digest ${shown.digest}\n${shown.text}`;
      }),
  );
  server.registerResource(
    'result',
    results,
    { ...json, description: 'The result of a run that has ended.' },
    (uri, { run }) => read(uri, json, room, async () => value(await checked(room, run))),
  );
  server.registerResource(
    'node-result',
    ofNodes,
    { ...json, description: 'The result of a node.' },
    (uri, { run, node }) => read(uri, json, room, async () => value(await checked(room, run), String(node))),
  );
}

/** A result that is not there is no reason to wait for it in the midst of a reading. */
async function resultOf(room: Room, workflowId: string, node?: string): Promise<string> {
  const late = new OperationError(
    'NO_RESULT',
    `it has no result yet; wait_plan waits for the end of run ${workflowId}`,
  );
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(late), WAIT_MS);
  try {
    const input = { workflowId, ...(node !== undefined && { node }) };
    return JSON.stringify(await room.perform('result', input, { signal: over.signal }));
  } finally {
    clearTimeout(timer);
  }
}

function checked(room: Room, run: string | string[] | undefined): Promise<string> {
  return room.handedOut.check(String(run));
}

async function read(uri: URL, { mimeType }: { readonly mimeType: string }, room: Room, work: () => Promise<string>) {
  try {
    const text = await work();
    const bytes = Buffer.byteLength(text);
    if (bytes <= MOST_BYTES) return { contents: [{ uri: uri.href, mimeType, text }] };
    throw new OperationError(
      'REFUSED',
      `it has ${bytes} bytes, and a resource has at most ${MOST_BYTES}; type \`${room.plans.typed('result RUN')}\``,
    );
  } catch (error) {
    const { code, message } = toOperationError(error, room.plans.typed);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${code}: ${message}`);
  }
}
