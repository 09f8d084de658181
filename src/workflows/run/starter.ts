/**
 * The project of a run, which the first activity reports, and the person who started the run, whom the project's keys
 * prove. Pure.
 */

import type { Dialogue } from './state.ts';
import type { Work } from './work-state.ts';
import {
  given,
  isRecord,
  missingWords,
  type AgentInput,
  type ApprovalRule,
  type ProjectPolicy,
  type RunSlice,
} from '../../protocol/index.ts';
import { tighten } from '../approval/approval.ts';
import { includes, isCovered, missingIn } from '../approval/coverage.ts';
import { rulesOf, unmeetable } from '../approval/rules.ts';
import type { WorkEnd } from './work-end.ts';
import { gateOf, note } from './run.ts';
import type { Run } from './in-memory.ts';
import type { Verify } from './talk/authenticate.ts';

/** The work whose reply contains the project. */
const TELLING: readonly Work['kind'][] = ['draft', 'plan', 'decide'];

/**
 * The project of the first activity holds: a worker that knows less of it must not loosen it.
 * @returns whether the run may continue; if not, it has failed because of its start
 */
export function learnProject({ dialogue }: Run, { kind }: Work, ended: WorkEnd, verify: Verify): boolean {
  const { known, approval } = dialogue;
  const told = ended.ok && isRecord(ended.value) ? ended.value['project'] : undefined;
  if (known === 'project' || approval.phase === 'closed' || !TELLING.includes(kind) || !isRecord(told)) return true;
  Object.assign(dialogue, { project: told as unknown as ProjectPolicy, known: 'project' });
  const problem = startProblem(dialogue, verify) ?? rulesProblem(dialogue);
  if (problem !== undefined)
    dialogue.failure ??= { type: 'InvalidInput', message: problem, details: [{ problems: [problem] }] };
  return problem === undefined;
}

function startProblem(dialogue: Dialogue, verify: Verify): string | undefined {
  const { start, project } = dialogue;
  if (start === undefined) return undefined;
  if (project.keys === undefined)
    return '$.token: the start is signed, and this worker has no identity keys to verify it; start it unsigned, or add the keys to its config';
  const { token, run: workflowId, at } = start.signed;
  const verified = verify(token, { keys: project.keys, workflowId, startedAt: at, at });
  if (!verified.ok) return `$.token: ${verified.reason}`;
  dialogue.start = { ...start, by: verified.by };
  return undefined;
}

/**
 * The worker's project has stricter rules than the run knew, so it did not begin the node. The run adds the rules, and
 * the node waits for the missing approvals. If none is missing the node fails, since another try would not help.
 */
export function deferForRules(run: Run, work: Work, ended: WorkEnd, at: string): WorkEnd {
  const { dialogue, execution } = run;
  if (ended.ok || ended.rules === undefined || ended.end.status !== 'failed') return ended;
  if (work.kind !== 'node' || execution === undefined || dialogue.approval.phase === 'closed') return ended;
  const { message } = ended.end;
  const problem = addRules(run, ended.rules, execution.slice, at);
  if (problem !== undefined) return { ...ended, end: { ...ended.end, message: `${message}; ${problem}` } };
  const { gate, consents } = dialogue.approval;
  const isMissing = gate !== undefined && !isCovered(work.node, gate, consents);
  // The worker has not seen an approval that came after the node was started.
  const startedAt = execution.scheduledAt[work.node] ?? Number.POSITIVE_INFINITY;
  const isLate = consents.some((consent) => includes(consent.nodes, work.node) && Date.parse(consent.at) > startedAt);
  const deferral = { deferred: 'run', reason: message, ...given({ usage: ended.usage }) };
  return isMissing || isLate ? { ok: true, value: deferral } : ended;
}

/**
 * Includes the rules that newer configs added.
 * @bound approval rules of its project that a run knows
 * @beyond the node whose worker asks for more fails (`NotApproved`)
 */
const MOST_RULES = 200;

/**
 * Only adds rules: a worker with an older config must not loosen what another one requires, and two workers must not
 * send the run back and forth.
 * @returns why the rules cannot hold
 */
function addRules(run: Run, rules: readonly ApprovalRule[], slice: RunSlice, at: string): string | undefined {
  const { dialogue } = run;
  const known = new Map((dialogue.project.rules ?? []).map((rule) => [identityOf(rule), rule]));
  const before = known.size;
  for (const rule of rules) known.set(identityOf(rule), rule);
  if (known.size === before) return undefined;
  if (known.size > MOST_RULES) return `a run takes ${MOST_RULES} rules of its project, and there are ${known.size}`;
  const project = { ...dialogue.project, rules: [...known.values()] };
  const problem = rulesProblem({ ...dialogue, project });
  if (problem !== undefined) return problem;
  dialogue.project = project;
  dialogue.approval = tighten(dialogue.approval, gateOf(dialogue, slice), at);
  const missing = missingIn(dialogue.approval, dialogue.approval.uncovered, project.keys).map(missingWords);
  const waits = missing.length === 0 ? 'all approvals are there' : `the plan waits for ${missing.join('; ')}`;
  note(run, at, 'held', `the rules of the project ask for more than before: ${waits}`);
  return undefined;
}

function identityOf(rule: ApprovalRule): string {
  return JSON.stringify(Object.entries(rule).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** If nobody could satisfy a rule, the run would wait for ever. */
function rulesProblem({ options, project: { rules = [], keys }, start }: Dialogue): string | undefined {
  const all: readonly ApprovalRule[] = [...rulesOf(options.approval), ...rules];
  const problem = unmeetable(all, keys);
  if (problem !== undefined) return `$.options.approval: ${problem} in the config of this worker`;
  return start?.by === undefined && all.some(({ notStarter }) => notStarter === true) ? UNSIGNED : undefined;
}

const UNSIGNED =
  '$: a rule does not count the starter (notStarter: true), so that the start must be signed; start it with ' +
  '`planwright run FILE --key KEY`, or as docs/identity.md says';

/** The start of an agent's run is that of the run it works for; the server must name that run as its root. */
export function startOf({ start }: AgentInput, root: string | undefined): Dialogue['start'] {
  return start === undefined || start.run !== root ? undefined : { signed: start };
}
