/** What a run is at beside its nodes: planning, deciding, agents. In words, a line each. */

import type { ChildView, LoopView, PlanningView, RunStatus } from '../../wire/contract/index.ts';

/** Agents named; the rest is counted. */
const AGENTS_NAMED = 8;

type AtWork = Pick<RunStatus, 'planning' | 'loop' | 'children' | 'fallback'>;

/** Empty for a run of a plan that a person wrote and that names no agents. */
export function workLines({ planning, loop, children = [], fallback }: AtWork): string[] {
  const agents = children.slice(0, AGENTS_NAMED).map(agentLine);
  const more = children.length - agents.length;
  return [
    ...(planning === undefined ? [] : [planningLine(planning)]),
    ...(fallback === true ? ['a fallback plan: no model has made a valid one'] : []),
    ...(loop === undefined ? [] : [loopLine(loop)]),
    ...agents,
    ...(more > 0 ? [`and ${more} more agents`] : []),
  ];
}

/** `planning: write, plan 1, call 2; the last was wrong: ...` */
export function planningLine({ stage, plan, call, trouble }: PlanningView): string {
  const which = plan === 0 ? '' : `, plan ${plan}, call ${call}`;
  return `planning: ${stage}${which}${trouble === undefined ? '' : `; the last was wrong: ${flat(trouble)}`}`;
}

/** `round 3 of at most 100: look up the genes` */
export function loopLine({ round, maxRounds, step }: LoopView): string {
  return `round ${round} of at most ${maxRounds}: ${step === undefined ? 'the next step is decided' : flat(step)}`;
}

function agentLine({ node, workflowId, waitingFor }: ChildView): string {
  return `agent of ${node}: run ${workflowId}${waitingFor === 0 ? '' : `, waits for a person (${waitingFor})`}`;
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
