import { ProtocolError, ProtocolErrorCode, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';
import { OperationError, toOperationError } from '../operations/index.ts';
import { timeoutSignal } from '../protocol/index.ts';
import type { HostSession } from './host-session.ts';

const PLANS = 'planwright://plans/';
const RESULTS = 'planwright://results/';
/** Maximum size of a resource. */
const MAX_BYTES = 8 * 2 ** 20;
/** Milliseconds to wait for a missing result before the error `NO_RESULT`. */
const WAIT_MS = 2000;

export function planUri(workflowId: string): string {
  return `${PLANS}${workflowId}`;
}

export function resultUri(workflowId: string): string {
  return `${RESULTS}${workflowId}`;
}

export function addResources(server: McpServer, session: HostSession): void {
  for (const { name, uri, isListed, mimeType, description, read } of RESOURCES) {
    const list = () => ({
      resources: (session.handedOut.ids ?? []).map((id) => ({ uri: `${uri}${id}`, name: `${name} of ${id}` })),
    });
    const template = new ResourceTemplate(`${uri}{run}${isListed ? '' : '/{node}'}`, {
      list: isListed ? list : undefined,
    });
    server.registerResource(name, template, { mimeType, description }, (found, { run, node }) =>
      within(session, found, mimeType, async () => {
        const workflowId = await session.handedOut.check(String(run));
        return read(session, { workflowId, ...(node !== undefined && { node: String(node) }) });
      }),
    );
  }
}

const RESULT = { uri: RESULTS, mimeType: 'application/json', read: resultOf };
const RESOURCES = [
  {
    ...{ name: 'plan', uri: PLANS, isListed: true, mimeType: 'text/plain' },
    description: 'The plan that a run shows, with its digest.',
    async read(session: HostSession, { workflowId }: Of) {
      const { revision, digest, text } = await session.perform('shown', { workflowId, whole: false });
      return `revision ${revision}, digest ${digest}\n${text}`;
    },
  },
  { ...RESULT, name: 'result', isListed: true, description: 'The result of a run that has ended.' },
  { ...RESULT, name: 'node-result', isListed: false, description: 'The result of a node.' },
];

interface Of {
  readonly workflowId: string;
  readonly node?: string;
}

async function resultOf(session: HostSession, input: Of): Promise<string> {
  const over = timeoutSignal(WAIT_MS);
  const next = `wait_plan waits for the end of run ${input.workflowId}`;
  const result = session.perform('result', input, { signal: over }).catch((error: unknown) => {
    throw over.aborted ? new OperationError('NO_RESULT', `it has no result yet; ${next}`) : error;
  });
  return JSON.stringify(await result);
}

async function within(session: HostSession, uri: URL, mimeType: string, work: () => Promise<string>) {
  try {
    const text = await work();
    const bytes = Buffer.byteLength(text);
    if (bytes <= MAX_BYTES) return { contents: [{ uri: uri.href, mimeType, text }] };
    throw new OperationError(
      'REFUSED',
      `it has ${bytes} bytes, and a resource has at most ${MAX_BYTES}; type \`${session.plans.typed('result RUN')}\``,
    );
  } catch (error) {
    const { code, message } = toOperationError(error, session.plans.typed);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${code}: ${message}`);
  }
}
