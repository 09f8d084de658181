/** Judges messages without changing anything, so that a sender can learn the reply in advance. */

import { readOwn } from '../records.ts';
import type { Signed } from '../../approval/state.ts';
import type { Request } from '../state.ts';
import {
  CONTROLS,
  given,
  isRecord,
  isWholeDigest,
  nodeId,
  nodeIndex,
  refuse,
  type Answer,
  type Control,
  type DecisionKind,
  type MessageName,
  type Refused,
  type Reply,
  openPlanning,
} from '../../../protocol/index.ts';
import type { JsonValue } from '../../../plan/index.ts';
import { quoteForShell, visible } from '../../../plan/text/index.ts';
import { decide } from '../../approval/approval.ts';
import { closureOf } from '../../approval/coverage.ts';
import { uncertainRepetition } from '../started-effects.ts';
import { askingNodes, knowsKeys } from '../run.ts';
import type { Run } from '../in-memory.ts';
import type { AuthenticatedMessage } from './authenticate.ts';
import { applyControl, applyDecision, textOf } from './apply.ts';
import { ruleControl, withoutContextNote } from './operate.ts';
import { answerableQuestion } from './questions.ts';
import { isBlank, parseAnswer, parseControl, parseDecision } from './read-message.ts';

type Proof = Omit<AuthenticatedMessage, 'payload'>;

export type Verdict =
  | Refused
  /** The message is accepted. `apply` carries it out and returns the reply. */
  | { readonly ok: true; readonly apply: () => Reply }
  /** An activity has to run first. */
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: true; readonly waitsFor: 'plan' };

export function judge(run: Run, name: MessageName, { payload, ...proof }: AuthenticatedMessage, at: string): Verdict {
  const { verified } = proof;
  // The run judges early decisions again after the compile, when it knows whether messages must be signed.
  if (run.state.project.keys !== undefined && !verified) return UNSIGNED;
  switch (name) {
    case 'answer':
      return judgeAnswer(run, payload, proof, at);
    case 'control':
      return judgeControl(run, payload, proof, at);
    case 'approve':
    case 'reject':
      return judgeDecision(run, payload, name, proof, at);
    case 'decide':
      return judgeDecision(run, payload, undefined, proof, at);
  }
}

function judgeDecision(
  run: Run,
  payload: unknown,
  kind: DecisionKind | undefined,
  { verified, token, personKey }: Proof,
  at: string,
): Verdict {
  const parsed = parseDecision(payload, kind);
  if (!parsed.ok) return refuse('malformed', parsed.reason);
  const short = digestProblem(run, parsed.message.digest) ?? kindProblem(run, payload);
  if (short !== undefined) return short;
  const decision: Signed = { ...parsed.message, verified, ...given({ personKey, token }) };
  const { approval } = run.state;
  if (approval.phase === 'drafting' && EARLY_KINDS.includes(decision.kind)) return { ok: true, waitsFor: 'plan' };
  const decided = decide(approval, decision, at);
  if (!decided.ok) {
    const note = `${withoutContextNote(run, decision.digest)}${nextAfter(run, decision, decided)}`;
    return refuse(decided.refusal, `${textOf(decision)}: ${decided.reason}${note}`);
  }
  const unexplained = reasonProblem(run, decision);
  if (unexplained !== undefined) return unexplained;
  if (decision.kind === 'revise') return judgeRevision(run, decision);
  return decision.kind === 'edit'
    ? { ok: true, request: { do: 'compile', decision } }
    : { ok: true, apply: () => applyDecision(run, decision, decided.approval, at) };
}

/** Advice for the sender of a late decision: after an approval is withdrawn, the plan can be changed. */
function nextAfter({ workflowId, state: { approval } }: Run, { kind }: Signed, { refusal }: Refused): string {
  if (refusal !== 'already-decided' || approval.phase !== 'running' || kind.startsWith('approve')) return '';
  const command = `planwright withdraw ${visible(quoteForShell(workflowId))} --digest ${approval.digest.slice(0, 8)}`;
  return `; to change what has not begun, whoever said it first takes it back: ${command}`;
}

/** If an approval repeats an effect that may have happened, it needs a reason, as `retry-node` does. */
function reasonProblem(run: Run, { kind, nodes, comment }: Signed): Refused | undefined {
  const { subject } = run.state.approval;
  if ((kind !== 'approve' && kind !== 'approve-part') || subject === undefined || !isBlank(comment)) return undefined;
  const meant = nodes && closureOf(nodes.map(nodeIndex), subject);
  const again = uncertainRepetition(
    run,
    askingNodes(run).filter((node) => meant?.has(node) ?? true),
  );
  const ways = 'give a comment: how you know that it did not happen; or settle that one first';
  return again === undefined ? undefined : refuse('not-possible', `${again}: to approve it again, ${ways}`);
}

/** Limits the number of revisions, since each one costs model calls even if no plan results. */
function judgeRevision(run: Run, decision: Signed): Verdict {
  const { state, execution, tasks, counts } = run;
  if (state.project.planner !== true) {
    return refuse('no-planner', 'this worker has no planner; send the plan you want as kind "edit", or reject');
  }
  for (const task of counts.all.revise > 0 ? Object.values(tasks) : []) {
    if (task.kind === 'message' && task.request.do === 'revise') {
      const { by } = task.request.decision;
      return refuse('not-possible', `the planner is at work on what ${by} wants; wait for that plan`);
    }
  }
  const { maxRevisions } = state.approval.bounds;
  if (state.plannings >= maxRevisions) {
    return refuse('too-many-revisions', `the planner was set to work ${maxRevisions} times in this run; edit the plan`);
  }
  const planning = openPlanning(execution?.planShape.goal ?? '', 'plan-first', 'write');
  return { ok: true, request: { do: 'revise', decision, planning } };
}

/** Kinds of decisions that may arrive before the plan, since a script may know the digest earlier than the run. */
const EARLY_KINDS: readonly DecisionKind[] = ['approve', 'approve-part', 'reject'];

function judgeAnswer(run: Run, payload: unknown, { verified, token }: Proof, at: string): Verdict {
  const parsed = parseAnswer(payload);
  if (!parsed.ok) return refuse('malformed', parsed.reason);
  const { message: answer } = parsed;
  const short = digestProblem(run, answer.digest);
  if (short !== undefined) return short;
  const question = answerableQuestion(run, answer, at);
  const as = { what: 'answer', answer, verified, ...given({ token }) } as const;
  if ('refusal' in question) {
    const node = answeredBefore(run, answer, question);
    return node === undefined ? question : { ok: true, request: { do: 'store', node, value: answer.value, as } };
  }
  const { schema } = question.question;
  const store = { do: 'store', value: answer.value, as } as const;
  const node = question.node < 0 ? {} : { node: nodeId(question.node) };
  return { ok: true, request: { ...store, ...node, ...(schema !== undefined && { schema }) } };
}

/** Finds the node whose question was answered before. Only the store can tell whether both answers are equal. */
function answeredBefore(run: Run, answer: Answer, { refusal }: Refused): string | undefined {
  const before = readOwn(run.state.answered, answer.question);
  return refusal === 'already-answered' && before?.node !== undefined ? nodeId(before.node) : undefined;
}

function judgeControl(run: Run, payload: unknown, { verified, token, personKey }: Proof, at: string): Verdict {
  const parsed = parseControl(payload);
  if (!parsed.ok) return refuse('malformed', parsed.reason);
  const { message: control } = parsed;
  // If the project has keys, an unsigned message must not stop the run, so the keys are read first.
  if (CONTROLS[control.action].node === 'none' && !knowsKeys(run)) return { ok: true, request: { do: 'keys' } };
  const short = CONTROLS[control.action].gated ? digestProblem(run, control.digest) : undefined;
  if (short !== undefined) return short;
  const ruling = ruleControl(run, control, personKey);
  if (!ruling.ok) return ruling;
  const authenticated = { control, verified, ...given({ personKey, token }) };
  if (ruling.store === undefined) return { ok: true, apply: () => applyControl(run, authenticated, ruling, at) };
  // An edit may give this node id to another node before the message is applied, so the digest is recorded now.
  const meant: Control = { ...control, digest: control.digest ?? run.state.approval.digest };
  const as = { what: 'result', control: meant, verified, ...given({ personKey, token }) } as const;
  return {
    ok: true,
    request: { do: 'store', node: control.node ?? '', revision: ruling.store, value: control.value as JsonValue, as },
  };
}

/** A signed message needs the whole digest, since two plans with equal first digits are easy to make. */
function digestProblem({ state: { project } }: Run, digest: string | undefined): Refused | undefined {
  if (project.keys === undefined || isWholeDigest(digest)) return undefined;
  const got = digest === undefined ? 'nothing' : `${digest.length}`;
  return refuse('malformed', `digest: where messages are signed all 64 hex digits are expected, got ${got}`);
}

/** `kind` must be in the message. Otherwise a signed rejection could be sent again as an approval. */
function kindProblem({ state: { project } }: Run, payload: unknown): Refused | undefined {
  if (project.keys === undefined || (isRecord(payload) && payload['kind'] !== undefined)) return undefined;
  return refuse('malformed', 'kind: what is signed says itself what it is, such as "kind":"approve"');
}

const UNSIGNED = refuse(
  'not-verified',
  'this run takes signed messages only: { "token": "..." }; sign with --key, or see docs/identity.md',
);
