/** Takes what is said to a run: who says it is verified, what it needs is fetched, then the run takes it. */

import type { CompileRequest } from '../activities/index.ts';
import {
  describe,
  isRecord,
  judge,
  refuse,
  refused,
  takeEdit,
  type Heard,
  type Judgement,
  type MessageName,
  type PlanSource,
  type Refused,
  type Run,
} from '../run/index.ts';
import { now } from './now.ts';
import { problemsIn } from './failures.ts';
import { compilePlan, reasonOf, storeAnswer, verifyMessage } from './reach.ts';

export interface Ear {
  hear(name: MessageName, payload: unknown): Promise<Heard>;
  /** What would be answered now, with no trace of the question. Undefined where only an activity can tell. */
  preview(name: MessageName, payload: unknown): Refused | undefined;
  /** Whether a message whose sender is being verified is still on its way in. */
  isListening(): boolean;
}

/** `wake` is called after the run has taken something. */
export function createEar(run: Run, wake: () => void): Ear {
  let verifying = 0;
  /** Signed messages are taken in the order in which they came, however long each is verified. */
  let last: Promise<unknown> = Promise.resolve();

  return {
    async hear(name, payload) {
      const at = now();
      // Without a token nothing is awaited: what came first is taken first.
      const sender = isSigned(payload) ? await inTurn(() => verified(run, payload)) : unproved(payload);
      if (!sender.ok) return refused(run, name, sender, at, payload);
      const before = sender.id === undefined ? undefined : run.tokens.get(sender.id);
      if (before !== undefined) return before;
      if (sender.id !== undefined) run.tokens.set(sender.id, HEARD_ALREADY);
      const heard = await take(run, judge(run, name, sender.payload, sender.verified, at), at);
      if (sender.id !== undefined) run.tokens.set(sender.id, heard);
      wake();
      return heard.ok ? heard : refused(run, name, heard, at, sender.payload);
    },
    preview(name, payload) {
      if (isSigned(payload)) return tokenProblem(payload);
      const judgement = judge(run, name, payload, false, now());
      return judgement.ok ? undefined : judgement;
    },
    isListening: () => verifying > 0,
  };

  async function inTurn<T>(verify: () => Promise<T>): Promise<T> {
    verifying += 1;
    const mine = last.then(verify);
    last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      verifying -= 1;
    }
  }
}

type Sender =
  | { readonly ok: true; readonly payload: unknown; readonly verified: boolean; readonly id?: string }
  | Refused;

/** A signed message is one message, however often it arrives: said again, it is answered as it was and does nothing. */
const HEARD_ALREADY: Heard = { ok: true, reply: 'this signed message was heard already' };

function unproved(payload: unknown): Sender {
  return { ok: true, payload, verified: false };
}

function isSigned(payload: unknown): payload is Record<string, unknown> {
  return isRecord(payload) && 'token' in payload;
}

function tokenProblem(payload: Record<string, unknown>): Refused | undefined {
  const { token, ...beside } = payload;
  if (typeof token !== 'string') return refuse('malformed', `token: expected a compact JWS, got ${describe(token)}`);
  const [key] = Object.keys(beside);
  if (key === undefined) return undefined;
  return refuse('malformed', `${key.slice(0, 80)} stands beside the token; what is said belongs inside what is signed`);
}

async function verified(run: Run, payload: Record<string, unknown>): Promise<Sender> {
  const problem = tokenProblem(payload);
  if (problem !== undefined) return problem;
  try {
    const reply = await verifyMessage({ token: payload['token'] as string, workflowId: run.workflowId });
    if (!reply.ok) return refuse('not-verified', reply.reason);
    const { by, role, message, id } = reply;
    return { ok: true, payload: { ...message, by, ...(role !== undefined && { role }) }, verified: true, id };
  } catch (error) {
    return refuse('failed', `who says it could not be verified: ${reasonOf(error)}`);
  }
}

async function take(run: Run, judgement: Judgement, at: string): Promise<Heard> {
  if (!judgement.ok) return judgement;
  try {
    switch (judgement.todo) {
      case 'nothing':
        return judgement.take(at);
      case 'compile':
        return await edit(run, judgement.decision);
      case 'store': {
        const { node: nodeId, value, schema } = judgement;
        const revision = run.slice?.revisionRef ?? '';
        const reply = await storeAnswer({ revision, nodeId, value, ...(schema !== undefined && { schema }) });
        return reply.ok ? judgement.take(reply.handle, now()) : refuse('wrong-answer', reply.reason);
      }
    }
  } catch (error) {
    return refuse('failed', `it could not be carried out: ${reasonOf(error)}`);
  }
}

/** The old revision stays open while the new plan is compiled. */
async function edit(run: Run, decision: Extract<Judgement, { todo: 'compile' }>['decision']): Promise<Heard> {
  const { limits, context } = run.options;
  const request: CompileRequest = {
    source: sourceOf(run, decision),
    base: run.slice?.revisionRef ?? '',
    ...(limits !== undefined && { limits }),
    ...(context !== undefined && { context }),
  };
  const reply = await compilePlan(request, `Compile the plan that ${decision.by.slice(0, 50)} edited`);
  if (!reply.ok) {
    const reason = `the edited plan is invalid: ${problemsIn(reply.issues)}`;
    return { ...refuse('invalid-plan', reason), issues: reply.issues as never };
  }
  // The project's policy is that of the run's start: a worker that knows less of it must not loosen it.
  const { slice, sameAs = [] } = reply;
  return takeEdit(run, decision, { slice, sameAs }, now());
}

/** A bare root node keeps the goal of the plan that it takes the place of. */
function sourceOf(run: Run, { plan, ref }: { readonly plan?: unknown; readonly ref?: string }): PlanSource {
  if (ref !== undefined) return { ref };
  const bare = isRecord(plan) && !('plan' in plan) && !('steps' in plan);
  return { document: bare ? { goal: run.slice?.goal ?? '', plan } : plan };
}
