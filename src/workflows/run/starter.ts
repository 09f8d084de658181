/** The project that a run is of, once an activity tells it; and who started the run, which its keys prove. Pure. */

import type { Dialogue, Work } from './state.ts';
import { isRecord, type AgentInput, type ApprovalRule, type ProjectPolicy } from '../../protocol/index.ts';
import { rulesOf, unmeetable } from '../approval/rules.ts';
import type { WorkEnd } from './work-end.ts';
import type { Run } from './run.ts';
import type { Verify } from './talk/authenticate.ts';

/** The work whose reply tells the project. */
const TELLING: readonly Work['kind'][] = ['draft', 'plan', 'decide'];

/**
 * The project that the first activity tells of holds: a worker that knows less of it must not loosen it.
 * @returns whether the run may go on; else it has failed with what is wrong with its start
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

/** A rule that nobody can meet would let the run wait for nothing. */
function rulesProblem({ options, project: { rules = [], keys }, start }: Dialogue): string | undefined {
  const all: readonly ApprovalRule[] = [...rulesOf(options.approval), ...rules];
  const problem = unmeetable(all, keys);
  if (problem !== undefined) return `$.options.approval: ${problem} in the config of this worker`;
  return start?.by === undefined && all.some(({ notStarter }) => notStarter === true) ? UNSIGNED : undefined;
}

const UNSIGNED =
  '$: a rule does not count the starter (notStarter: true), so that the start must be signed; start it with ' +
  '`planwright run FILE --key KEY`, or as docs/identity.md says';

/** The start of an agent's run is that of the run it works for, which the server must name as its root. */
export function startOf({ start }: AgentInput, root: string | undefined): Dialogue['start'] {
  return start === undefined || start.run !== root ? undefined : { signed: start };
}
