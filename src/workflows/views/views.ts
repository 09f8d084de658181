/** The results of a run's queries: `viewOf` combines the parts, and each part is computed here. */

import type { Replans } from '../run/state.ts';
import type { Loop } from '../loop/loop.ts';
import {
  given,
  nodeId,
  OWN_PARTS,
  type ChildView,
  type LoopView,
  type OpenItem,
  type OwnPart,
  type PageRequest,
  type Phase,
  type PlanningView,
  type PlanView,
  type ReplannedView,
  type RunStatus,
  type ViewPage,
  type ViewRequest,
  type WaitingRun,
  type Planning,
} from '../../protocol/index.ts';
import { byteLength, quoteForShell, visible } from '../../plan/text/index.ts';
import { noCounts } from '../run/nodes/progress.ts';
import { waitsFor } from './waiting.ts';
import { endedBy } from '../approval/approval.ts';
import { isAsking } from '../run/run.ts';
import type { Run } from '../run/in-memory.ts';
import { budgetView } from '../run/spending/account.ts';
import { traceOf } from '../run/trace.ts';
import { firstOpen, limitOf, messageText, questionsOf } from './open-items.ts';
import { countOpen } from './openings.ts';
import { showAllCommand } from './run-outline.ts';
import { nodesOf, shortly } from './node-views.ts';

/** Agents that wait for a person come first. */
const MAX_CHILDREN = 100;

/** The server limits the answer to a query to 2 MiB; each single part is smaller. `rest` names the parts left out. */
const VIEW_BYTES = 1_900_000;

const TOLD: { readonly [Part in OwnPart]: (run: Run, page?: PageRequest) => ViewPage[Part] } = {
  status: statusOf,
  plan: planOf,
  nodes: nodesOf,
  questions: openOf,
  trace: ({ dialogue }, page) => traceOf(dialogue.trace, page),
};

export function renderView(run: Run, request: ViewRequest = {}): ViewPage {
  const { parts = OWN_PARTS } = request;
  let page: ViewPage = {};
  let bytes = 0;
  for (const [at, part] of parts.entries()) {
    const told = { [part]: TOLD[part](run, request[part]) };
    const rest = { ...request, parts: parts.slice(at) };
    bytes += byteLength(JSON.stringify(told));
    if (at > 0 && bytes > VIEW_BYTES) return { ...page, rest };
    page = { ...page, ...told };
    const after = lastOf(told, request);
    if (after !== undefined) return { ...page, rest: { ...rest, [part]: { ...request[part], after } } };
  }
  return page;
}

/** The last entry of a page if more pages follow. */
function lastOf({ nodes, trace, questions = [] }: ViewPage, request: ViewRequest): string | number | undefined {
  const last = questions.at(-1);
  const isFull = last !== undefined && 'id' in last && questions.length === limitOf(request.questions ?? {});
  return nodes?.next ?? trace?.next ?? (isFull ? last.id : undefined);
}

export function statusOf(run: Run): RunStatus {
  const { dialogue, execution } = run;
  const { approval, paused, startedAt, planning, made, usage, loop, parentPaused, chain } = dialogue;
  const { outcome, reason } = approval.closed ?? {};
  const { by, comment } = endedBy(approval);
  const children = childrenOf(run);
  return {
    phase: phaseOf(run),
    ...given({ outcome, reason: reason && shortly(reason) }),
    ...given({ by: by && visible(by), comment: comment && shortly(comment) }),
    revision: approval.revision,
    digest: approval.digest,
    chain,
    startedAt,
    ...given({
      planning: planning && planningOf(planning),
      loop: loop && loopOf(loop),
      children: children.length > 0 ? children : undefined,
      fallback: made === 'fallback' || undefined,
      replanned: replannedOf(dialogue.replans),
      usage: usage.calls > 0 ? usage : undefined,
      budget: budgetView(run),
      paused: paused || parentPaused || undefined,
      waits: waitsFor(run),
    }),
    waitingFor: countOpen(run),
    ...given({ estimatedMinutes: execution?.slice.estimatedMinutes }),
    counts: { total: execution?.slice.inputs.length ?? 0, ...(execution?.progress.counts ?? noCounts()) },
    ...given({ next: nextCommand(run) }),
  };
}

function loopOf({ round, maxRounds, step, notes }: Loop): LoopView {
  return { round, maxRounds, ...given({ step: step && shortly(step.summary), notes }) };
}

/**
 * The result of the query `questions`: a page of open items, and after the last item the agents that wait for a person.
 */
export function openOf(run: Run, page: PageRequest = {}): readonly (OpenItem | WaitingRun)[] {
  const items = questionsOf(run, page);
  if (items.length === limitOf(page)) return items;
  const agents = childrenOf(run).filter(({ waitingFor }) => waitingFor > 0);
  const toldBy = (id: string) => run.dialogue.children[id]?.items;
  return [
    ...items,
    ...agents.map(({ workflowId: id, waitingFor }) => ({ run: id, waitingFor, ...given({ items: toldBy(id) }) })),
  ];
}

/** Agents that wait for a person come first, then those that wait for something else. */
function childrenOf({ dialogue: { children }, work }: Run): readonly ChildView[] {
  const views: ChildView[] = [];
  for (const [workflowId, { work: id, waitingFor, waits, isStarted }] of Object.entries(children)) {
    const one = work[id];
    if (isStarted && one?.kind === 'node')
      views.push({ node: nodeId(one.node), workflowId, waitingFor, ...given({ waits }) });
  }
  const rank = ({ waitingFor, waits }: ChildView) => waitingFor + (waits === undefined ? 0 : 0.5);
  return views.toSorted((a, b) => rank(b) - rank(a)).slice(0, MAX_CHILDREN);
}

function planningOf({ stage, plans, calls, trouble, anew }: Planning): PlanningView {
  const told = given({ why: anew && shortly(anew.why), trouble: trouble && shortly(trouble.message) });
  return { stage, plan: plans, call: calls, ...told };
}

function replannedOf(replans: Replans | undefined): ReplannedView | undefined {
  if (replans?.revision === undefined) return undefined;
  const { made: times, revision, why = '' } = replans;
  return { times, revision, why: shortly(why) };
}

export function planOf(run: Run): PlanView {
  const { revision, digest } = run.dialogue.approval;
  const { text = '', reuse } = run.execution?.slice ?? {};
  return { revision, digest, ref: digest, text, ...given({ reuse: reuse?.text }) };
}

/** A run waits for approval only while a node does: its nodes may have been skipped or cancelled meanwhile. */
function phaseOf(run: Run): Phase {
  const { phase } = run.dialogue.approval;
  return phase === 'awaiting-approval' && !isAsking(run) ? 'running' : phase;
}

/** The next message for this run as a command of the Temporal CLI, or the command that shows the whole card first. */
function nextCommand(run: Run): string | undefined {
  const [first] = firstOpen(run, 1);
  if (first === undefined) return undefined;
  const { workflowId, send, leftOut } = first;
  if (leftOut !== undefined && send.name === 'approve') return showAllCommand(first);
  // In JSON text an escape of a hidden character means that character.
  const message = quoteForShell(visible(messageText(first)));
  return `temporal workflow signal -w ${visible(quoteForShell(workflowId))} --name ${send.name} --input ${message}`;
}
