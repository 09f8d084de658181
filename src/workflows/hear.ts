/** Takes what is said to a run: who says it is verified, what it needs is fetched, then the run takes it. */

import { workflowInfo } from '@temporalio/workflow';
import type { CompileRequest } from '../activities/index.ts';
import {
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
import { problemsIn } from './failures.ts';
import { now } from './now.ts';
import { compilePlan, reasonOf, storeAnswer } from './reach.ts';
import { createVerification, isSigned, tokenProblem, unproved } from './verification.ts';

export interface Ear {
  hear(name: MessageName, payload: unknown): Promise<Heard>;
  /** What would be answered now, with no trace of the question. Undefined where only an activity can tell. */
  preview(name: MessageName, payload: unknown): Refused | undefined;
  /** Whether something that was said by this time (ISO 8601) is still on its way in. */
  isListening(until: string): boolean;
}

/** A node that is started costs up to 6 events, and the server ends a run at 51,200. */
const EVENTS_PER_NODE = 6;
const MOST_EVENTS = 48_000;

/** `wake` is called after the run has taken something. */
export function createEar(run: Run, wake: () => void): Ear {
  const verify = createVerification(run);
  const onTheirWay = new Set<{ readonly at: string }>();

  return {
    async hear(name, payload) {
      const message = { at: now() };
      onTheirWay.add(message);
      try {
        return await hearOne(name, payload, message.at);
      } finally {
        onTheirWay.delete(message);
        wake();
      }
    },
    preview(name, payload) {
      const problem = isSigned(payload) ? tokenProblem(payload) : judge(run, name, payload, false, now());
      return problem === undefined || problem.ok ? undefined : problem;
    },
    isListening: (until) => [...onTheirWay].some(({ at }) => at <= until),
  };

  async function hearOne(name: MessageName, payload: unknown, at: string): Promise<Heard> {
    // Without a token nothing is awaited: what came first is taken first.
    const sender = isSigned(payload) ? await verify(payload) : unproved(payload);
    if (!sender.ok) return refused(run, name, sender, at, payload);
    const { key } = sender;
    const before = key === undefined ? undefined : run.tokens.get(key);
    if (before !== undefined) return before;
    if (key !== undefined) run.tokens.set(key, HEARD_ALREADY);
    const heard = await take(run, judge(run, name, sender.payload, sender.verified, at), at);
    if (key !== undefined) run.tokens.set(key, heard);
    return heard.ok ? heard : refused(run, name, heard, at, sender.payload);
  }
}

/** A signed message is one message, however often it arrives: said again, it is answered as it was and does nothing. */
const HEARD_ALREADY: Heard = { ok: true, reply: 'this signed message was heard already' };

async function take(run: Run, judgement: Judgement, at: string): Promise<Heard> {
  if (!judgement.ok) return judgement;
  try {
    switch (judgement.todo) {
      case 'nothing':
        return judgement.take(at);
      case 'compile':
        return await edit(run, judgement.decision, at);
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
async function edit(
  run: Run,
  decision: Extract<Judgement, { todo: 'compile' }>['decision'],
  heardAt: string,
): Promise<Heard> {
  const { limits, context } = run.options;
  const request: CompileRequest = {
    source: sourceOf(decision),
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
  const toCome = sameAs.filter((before) => before < 0 || run.progress?.handles[before] === undefined).length;
  const events = workflowInfo().historyLength + EVENTS_PER_NODE * toCome;
  return events > MOST_EVENTS
    ? refuse('not-possible', `this run has no room for ${toCome} more nodes; start another run with the edited plan`)
    : takeEdit(run, decision, { slice, sameAs, heardAt }, now());
}

/** A bare root node gets the goal of the plan that it takes the place of where it is compiled. */
function sourceOf({ plan, ref }: { readonly plan?: unknown; readonly ref?: string }): PlanSource {
  return ref === undefined ? { document: plan } : { ref };
}
