import {
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { FALLBACK_PLAN, itemCommand, progressText } from '../operations/words/index.ts';
import { toOperationError, type OutputOf } from '../operations/index.ts';
import { endedContent } from './tool.ts';
import { hostOf, TASKS, type Host } from './host.ts';
import { itemsToAsk, formsFor, takeAll } from './open-items.ts';
import type { HostSession } from './host-session.ts';

const POLL_MS = 1000;
const MAX_COMMANDS = 5;

const Task = z.looseObject({ taskId: z.string() });
const Update = z.looseObject({ taskId: z.string(), inputResponses: z.record(z.string(), z.unknown()).optional() });

/** The state of the task, for `tasks/get` and in place of a tool's result. */
export async function taskOf(session: HostSession, taskId: string) {
  const waited = await session.perform('wait', { workflowId: taskId, waitMs: 0 });
  const { startedAt = new Date().toISOString() } = waited;
  const base = {
    taskId,
    createdAt: startedAt,
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  if (waited.phase === 'closed') {
    if (waited.outcome === 'cancelled') return { ...base, status: 'cancelled', statusMessage: 'the run was cancelled' };
    return {
      ...base,
      status: 'completed',
      statusMessage: `closed: ${waited.outcome}`,
      result: await endedContent(session, taskId),
    };
  }
  const forms = await formsFor(session, await itemsToAsk(session, waited.open));
  const statusMessage = messageOf(session, taskId, waited);
  if (forms.length === 0) return { ...base, status: 'working', statusMessage };
  const requests = forms.map(([key, form]) => [key, inputRequired.elicit(form)] as const);
  return { ...base, status: 'input_required', statusMessage, inputRequests: Object.fromEntries(requests) };
}

function messageOf(session: HostSession, run: string, waited: OutputOf<'wait'>): string {
  const { phase, counts, open, trouble, waits, fallback } = waited;
  const lastWord = session.answers.lastOf(run);
  const commands = open.slice(0, MAX_COMMANDS).map((item) => itemCommand(item, session.plans.typed));
  const rest = open.length - commands.length;
  return [
    progressText(phase === 'unknown' ? 'running' : phase, counts),
    trouble?.message,
    waits && `it ${waits}`,
    fallback === true ? FALLBACK_PLAN : undefined,
    lastWord === undefined ? undefined : `last word: ${lastWord}`,
    commands.length > 0
      ? `waits for a person; as commands: ${commands.join(' ; ')}${rest > 0 ? ` and ${rest} more` : ''}`
      : undefined,
  ]
    .filter((part) => part !== undefined)
    .join('. ');
}

export function serveTasks(mcp: McpServer, session: HostSession): void {
  mcp.server.setRequestHandler('tasks/get', { params: Task }, ({ taskId }, context) =>
    answered(mcp, session, taskId, context, () => taskOf(session, taskId)),
  );
  mcp.server.setRequestHandler('tasks/cancel', { params: Task }, ({ taskId }, context) =>
    answered(mcp, session, taskId, context, async () => {
      await session.perform('cancel', { workflowId: taskId }).catch(unlessClosed);
      return {};
    }),
  );
  mcp.server.setRequestHandler('tasks/update', { params: Update }, ({ taskId, inputResponses = {} }, context) =>
    answered(mcp, session, taskId, context, async (host) => {
      const { open } = await session.perform('wait', { workflowId: taskId, waitMs: 0 });
      await takeAll(session, taskId, open, { ...context.mcpReq.inputResponses, ...inputResponses }, host);
      return {};
    }),
  );
}

function unlessClosed(error: unknown): void {
  if (toOperationError(error).code !== 'RUN_CLOSED') throw error;
}

async function answered<Result extends object>(
  mcp: McpServer,
  { handedOut, plans }: HostSession,
  taskId: string,
  context: ServerContext,
  work: (host: Host) => Promise<Result>,
): Promise<Result> {
  const host = hostOf(mcp, context);
  if (!host.tasks)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
  try {
    await handedOut.check(taskId);
    return await work(host);
  } catch (error) {
    const { code, message } = toOperationError(error, plans.typed);
    const { InvalidParams, InternalError } = ProtocolErrorCode;
    throw new ProtocolError(code === 'NO_RUN' ? InvalidParams : InternalError, `${code}: ${message}`);
  }
}
