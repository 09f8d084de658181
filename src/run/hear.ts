/**
 * One way in for everything that is said to a run. A message is judged first and taken then: an update is told at once
 * what would be answered, and leaves no trace when it is refused. Whatever comes, the run goes on.
 */

import type { JsonValue } from '../plan/index.ts';
import { decide, openRevision, record, type Ruling, type Signed } from './approval.ts';
import { parseAnswer, type Answer } from './answer.ts';
import { parseControl, type Control } from './control.ts';
import { parseDecision, type Decision, type DecisionKind } from './decision.ts';
import { isRecord } from './malformed.ts';
import { freeNodes, ruleControl } from './operate.ts';
import { openFor, takeAnswer } from './questions.ts';
import { refuse, type Refused } from './refusal.ts';
import { carryProgress } from './revise.ts';
import { closeRun, gateOf, note, type Heard, type Run } from './run.ts';
import type { ResultHandle } from './progress.ts';
import { nodeId, type RunSlice } from './slice.ts';

/** What a refused message says of itself is kept no longer than this. */
const MAX_CLAIM = 200;

export type MessageName = 'approve' | 'reject' | 'decide' | 'answer' | 'control';

/** What a message would do. What needs an activity first says which. */
export type Judgement =
  | Refused
  | { readonly ok: true; readonly todo: 'nothing'; readonly take: (at: string) => Heard }
  | { readonly ok: true; readonly todo: 'compile'; readonly decision: Signed }
  | {
      readonly ok: true;
      readonly todo: 'store';
      readonly node: string;
      readonly value: JsonValue;
      readonly schema?: Readonly<Record<string, JsonValue>>;
      readonly take: (handle: ResultHandle, at: string) => Heard;
    };

/** Judges a message whose sender is known, or known to be unproved. */
export function judge(run: Run, name: MessageName, payload: unknown, verified: boolean, at: string): Judgement {
  // Before the plan is compiled nobody knows whether messages must be signed; an early decision is asked then.
  if (run.project.identity && !verified) return unsigned();
  switch (name) {
    case 'answer':
      return judgeAnswer(run, payload, verified, at);
    case 'control':
      return judgeControl(run, payload, verified);
    default:
      return judgeDecision(run, payload, name === 'decide' ? undefined : name, verified, at);
  }
}

/** Keeps a refusal in the trace, as it is answered to the sender, with who it was as far as the message says. */
export function refused(run: Run, name: MessageName, refusal: Refused, at: string, payload?: unknown): Refused {
  note(run, at, 'refused', `${name}: ${refusal.reason}`, { refusal: refusal.refusal, ...claimedBy(payload) });
  return refusal;
}

function claimedBy(payload: unknown): Record<string, string> {
  const claims: Record<string, string> = {};
  if (!isRecord(payload)) return claims;
  for (const key of ['by', 'role', 'kind', 'digest', 'question', 'action', 'node']) {
    const value = payload[key];
    if (typeof value === 'string') claims[key] = value.slice(0, MAX_CLAIM);
  }
  return claims;
}

/** Hears a decision that came before the plan, now that the plan is there. */
export function hearEarly(run: Run, decision: Signed, at: string): void {
  const judgement = run.project.identity && !decision.verified ? unsigned() : takeDecision(run, decision, at);
  if (!judgement.ok) refused(run, 'decide', judgement, at, decision);
  else if (judgement.todo === 'nothing') judgement.take(at);
}

/** The plan of an edit is compiled: it becomes the open one, unless the other was decided meanwhile. */
export function takeEdit(
  run: Run,
  decision: Signed,
  edited: { slice: RunSlice; sameAs: readonly number[]; heardAt?: string },
  at: string,
): Heard {
  const { slice, sameAs, heardAt = at } = edited;
  const ruling = decide(run.approval, decision, heardAt);
  // The same edit, said twice before it was compiled, is one edit.
  if (!ruling.ok && slice.digest === run.approval.digest && run.approval.phase !== 'closed')
    return { ok: true, reply: 'this plan is the open one already' };
  if (!ruling.ok) return ruling;
  if (slice.digest === run.approval.digest) return refuse('no-change', 'the edited plan is the open plan');
  const recorded = record(run.approval, decision, at);
  const from = run.approval.revision;
  const said = { ...saidOf(decision), ...boundTo(run) };
  carryProgress(run, slice, sameAs, at);
  run.approval = openRevision(recorded, { digest: slice.digest, gate: gateOf(run, slice), at, sameAs });
  const reused = sameAs.filter((before) => before >= 0).length;
  const reply = `revision ${from + 1} is open, digest ${slice.digest.slice(0, 8)}; ${reused} of its ${sameAs.length} nodes are unchanged`;
  note(run, at, 'decision', `${textOf(decision)}: ${reply}`, said);
  note(run, at, 'compiled', `${slice.inputs.length} nodes, digest ${slice.digest.slice(0, 8)}`);
  return { ok: true, reply };
}

function judgeDecision(
  run: Run,
  payload: unknown,
  kind: DecisionKind | undefined,
  verified: boolean,
  at: string,
): Judgement {
  const parsed = parseDecision(payload, kind);
  if (!parsed.ok) return refuse('malformed', parsed.reason);
  return takeDecision(run, { ...parsed.decision, verified }, at);
}

function takeDecision(run: Run, decision: Signed, at: string): Judgement {
  const ruling = decide(run.approval, decision, at);
  if (!ruling.ok) return { ...ruling, reason: `${textOf(decision)}: ${ruling.reason}` };
  if (decision.kind === 'edit') return { ok: true, todo: 'compile', decision };
  return {
    ok: true,
    todo: 'nothing',
    take: (now) => applyDecision(run, decision, decide(run.approval, decision, now), now),
  };
}

function applyDecision(run: Run, decision: Signed, ruling: Ruling, at: string): Heard {
  if (!ruling.ok) return ruling;
  const { outcome } = ruling.approval;
  // The run closes by its own door, which leaves its own trace.
  // What comes early is kept, and heard when there is a plan.
  if (ruling.approval.phase === 'drafting') {
    run.approval = ruling.approval;
    return { ok: true, reply: 'kept until the plan is compiled', kept: true };
  }
  const said = { ...saidOf(decision), ...boundTo(run) };
  run.approval = outcome === undefined ? ruling.approval : { ...ruling.approval, phase: run.approval.phase };
  const reply = replyTo(decision, ruling);
  note(run, at, 'decision', `${textOf(decision)}: ${reply}`, said);
  if (outcome !== undefined) closeRun(run, outcome, at);
  freeNodes(run);
  return { ok: true, reply };
}

function replyTo({ kind }: Decision, { approval }: Extract<Ruling, { ok: true }>): string {
  const { phase, uncovered } = approval;
  const rest = uncovered.length === 0 ? '' : `; still to be approved: ${uncovered.length} of its nodes`;
  if (kind === 'reject') return phase === 'closed' ? 'rejected' : 'rejected; the plan waits for an edit';
  return `${kind === 'withdraw' ? 'taken back' : 'approved'}${rest}`;
}

function judgeAnswer(run: Run, payload: unknown, verified: boolean, at: string): Judgement {
  const parsed = parseAnswer(payload);
  if (!parsed.ok) return refuse('malformed', parsed.reason);
  const { answer } = parsed;
  const asked = openFor(run, answer, at);
  if ('refusal' in asked) return again(run, answer, asked, verified);
  const { schema } = asked.question;
  return {
    ok: true,
    todo: 'store',
    node: nodeId(asked.node),
    value: answer.value,
    ...(schema !== undefined && { schema }),
    take: (handle, now) => takeAnswer(run, answer, handle, verified, now),
  };
}

/** An answer that comes twice is the same message when its value is the same, which only the store can tell. */
function again(run: Run, answer: Answer, refusal: Refused, verified: boolean): Judgement {
  const before = run.answered.get(answer.question);
  if (refusal.refusal !== 'already-answered' || before?.node === undefined) return refusal;
  return {
    ok: true,
    todo: 'store',
    node: nodeId(before.node),
    value: answer.value,
    take: (handle, now) => takeAnswer(run, answer, handle, verified, now),
  };
}

function judgeControl(run: Run, payload: unknown, verified: boolean): Judgement {
  const parsed = parseControl(payload);
  if (!parsed.ok) return refuse('malformed', parsed.reason);
  const { control } = parsed;
  const ruling = ruleControl(run, control);
  if (!ruling.ok) return ruling;
  const keep = (at: string, reply: string, ref?: string): Heard => {
    const about = control.node === undefined ? '' : ` ${control.node}`;
    const said = { ...saidOf({ ...control, verified }), ...boundTo(run), ...(ref !== undefined && { ref }) };
    note(run, at, 'control', `${control.action}${about} by ${control.by}: ${reply}`, said);
    freeNodes(run);
    return { ok: true, reply };
  };
  if ('store' in ruling) return judgeSettling(run, control, ruling.store, keep);
  return {
    ok: true,
    todo: 'nothing',
    take: (at) => {
      ruling.apply(at);
      // To say again what is so already is no event.
      return ruling.isNews ? keep(at, ruling.reply) : { ok: true, reply: ruling.reply };
    },
  };
}

function judgeSettling(
  run: Run,
  control: Control,
  node: number,
  keep: (at: string, reply: string, ref?: string) => Heard,
): Judgement {
  // While the value is stored an edit may give the node's id to another node.
  const meant: Control = { ...control, digest: control.digest ?? run.approval.digest };
  return {
    ok: true,
    todo: 'store',
    node: nodeId(node),
    value: control.value as JsonValue,
    take: (handle, at) => {
      // Somebody else may have settled it while the value was stored.
      const now = ruleControl(run, meant);
      if (!now.ok) return now;
      if (!('store' in now)) return { ok: true, reply: now.reply };
      now.settle(handle);
      return keep(at, 'it counts as succeeded, with this result', handle.ref);
    },
  };
}

function textOf({ kind, digest, by, comment }: Decision): string {
  return `${kind} ${digest.slice(0, 8)} by ${by}${comment === undefined ? '' : ` (${comment})`}`;
}

/** A message as it is kept: without the plan of an edit and the value of a result, which are in the store. */
function saidOf(message: object): Record<string, unknown> {
  const { plan: _, value: __, ...said } = message as Record<string, unknown>;
  return said;
}

/** The plan that something was said about, whole, however few digits were named. */
function boundTo({ approval: { digest, revision } }: Run): { digest: string; revision: number } {
  return { digest, revision };
}

function unsigned(): Refused {
  return refuse(
    'not-verified',
    'this run takes signed messages only: { "token": "..." }; sign with --key, or see docs/identity.md',
  );
}
