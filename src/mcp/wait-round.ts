/**
 * One call of a host without tasks: waits for the run, asks the person if possible, and answers with the run's state.
 * The call has a time limit, after which the run continues.
 */

import { quoteForShell } from '../plan/text/index.ts';
import {
  inputRequired,
  type CallToolResult,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { OutputOf } from '../operations/index.ts';
import { contentOf, endedContent } from './tool.ts';
import type { Host } from './host.ts';
import { itemsToAsk, formsFor, takeAll, describeItems, type ItemToAsk } from './open-items.ts';
import { planUri } from './resources.ts';
import type { HostSession } from './host-session.ts';

const State = z.object({
  workflowId: z.string(),
  asked: z.array(z.string()).readonly(),
  round: z.int().nonnegative(),
  /** Warnings about the plan, until the host has received them. */
  warnings: z.array(z.string()).readonly().optional(),
});

/** State that a host of 2026 sends back with its answers. A forged state gives no access. */
export type WaitState = z.output<typeof State>;

export const readState = (state: string): WaitState => State.parse(JSON.parse(state));

export interface WaitRound {
  readonly session: HostSession;
  readonly host: Host;
  readonly context: ServerContext;
  readonly waitMs?: number | undefined;
}

const MAX_ROUNDS = 6;

/** One turn of a wait. @param state the state of the call so far; its `round` is 0 at first */
export async function waitTurn(turn: WaitRound, state: WaitState): Promise<CallToolResult | InputRequiredResult> {
  const { session, host, context, waitMs } = turn;
  const { workflowId } = state;
  const { signal, inputResponses = {} } = context.mcpReq;
  const warned = (state.warnings ?? []).length > 0 ? { warnings: state.warnings } : {};
  let { asked, round } = state;
  let { notes, isLeft } = await takeIn(turn, workflowId, inputResponses);
  for (;;) {
    const announced = [...asked, ...(host.elicits ? [] : session.answers.announcedOf(workflowId))];
    const input = { workflowId, waitMs: isLeft ? 0 : waitMs, told: announced };
    const waited = await session.perform('wait', input, { signal, onProgress: progressTo(context) });
    if (waited.phase === 'closed') return endedContent(session, workflowId, { signal }, warned);
    const isNew = ({ key }: ItemToAsk) => !asked.includes(key);
    const open = host.elicits && round < MAX_ROUNDS ? (await itemsToAsk(session, waited.open)).filter(isNew) : [];
    const forms = await formsFor(session, open);
    if (forms.length === 0) return stateContent(turn, { ...waited, ...warned }, notes);
    asked = [...asked, ...forms.map(([key]) => key)];
    round += 1;
    if (!host.isLegacy) return askBy(forms, { ...state, asked, round });
    isLeft = false;
    for (const [key, form] of forms) {
      const outcome = await takeIn(turn, workflowId, { [key]: await elicit(context, form, session.bounds.formMs) });
      notes = [...notes, ...outcome.notes];
      isLeft ||= outcome.isLeft;
    }
  }
}

async function takeIn({ session, host }: WaitRound, run: string, responses: Readonly<Record<string, unknown>>) {
  if (Object.keys(responses).length === 0) return { notes: [], isLeft: false };
  const { open } = await session.perform('wait', { workflowId: run, waitMs: 0 });
  return takeAll(session, run, open, responses, host);
}

type Forms = Awaited<ReturnType<typeof formsFor>>;

function askBy(forms: Forms, state: WaitState): InputRequiredResult {
  const requests = forms.map(([key, form]) => [key, inputRequired.elicit(form)] as const);
  return inputRequired({ inputRequests: Object.fromEntries(requests), requestState: JSON.stringify(state) });
}

/** If the person does not answer or the host fails, the item stays open. */
async function elicit({ mcpReq }: ServerContext, form: ElicitRequestFormParams, formMs: number): Promise<unknown> {
  try {
    return await mcpReq.elicitInput(form, { timeout: formMs, signal: mcpReq.signal });
  } catch (error) {
    if (mcpReq.signal.aborted) throw error;
    return { action: 'cancel' };
  }
}

const NEXT = 'wait_plan waits on; the run goes on by itself';
const ASKS_AGAIN = 'The run waits for a person: wait_plan asks again, or they type the command of the item.';
const ASKS =
  'The run waits for a person. Show each item to the person you work for as it is written, and decide nothing for them. ' +
  'Pass on their answer by answer_plan with its key. If an item has a command, only that command answers it.';

async function stateContent(
  { session, host }: WaitRound,
  waited: OutputOf<'wait'>,
  notes: readonly string[],
): Promise<CallToolResult> {
  const { open, workflowId, ...rest } = waited;
  session.answers.announce(
    workflowId,
    open.map(({ key }) => key),
  );
  const waiting = await describeItems(session, open, host);
  const plan = open.some(({ kind }) => kind === 'approval') && planUri(workflowId);
  const next = open.length === 0 ? NEXT : host.elicits ? ASKS_AGAIN : ASKS;
  const answer = {
    workflowId,
    ...rest,
    waiting,
    ...(plan !== false && { plan }),
    ...(notes.length > 0 && { notes }),
    next,
  };
  return contentOf(answer, `type \`${session.plans.typed(`status ${quoteForShell(workflowId)}`)}\``);
}

function progressTo({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  let before = '';
  return ({ text }: { readonly text: string }) => {
    if (text === before) return;
    before = text;
    const params = { progressToken, progress: ++progress, message: text };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
