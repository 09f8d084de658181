/** The decider of the steps of a loop: an agent or the project, its policy, and its tools. */

import type { DecidingTask, Agent, Capability } from '../../../define/index.ts';
import type { CapabilityRegistry } from '../../../builtin/index.ts';
import { executorLabel, type LoopTask } from '../../../wire/contract/index.ts';
import type { TaskNode } from '../../../language/plan/index.ts';
import { modelPolicy, toolsFor, type Tools } from '../../../loop/index.ts';
import type { LoopPolicy } from '../../../define/index.ts';
import type { ResultStore } from '../../../wire/results/index.ts';
import { RunFailureError } from '../failures.ts';
import type { Revision } from '../revision.ts';
import { taskInputs } from '../task-inputs.ts';
import { textOf } from './observed.ts';

/** The agent or project that decides, with its policy, its task and its tools. */
export interface Decider {
  readonly agent?: Agent;
  readonly policy: LoopPolicy;
  readonly task: DecidingTask;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly tools: Tools;
}

export interface DeciderSources {
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  /** The policy of the loops of goals; agents may have one of their own. Default: the model decides. */
  readonly policy?: LoopPolicy | undefined;
  revisionFor(ref: string): Promise<Revision>;
}

export async function deciderOf(
  task: LoopTask,
  { registry, store, policy, revisionFor }: DeciderSources,
): Promise<Decider> {
  if ('goal' in task) {
    const agents = registry.agents.flatMap((name) => registry.agent(name) ?? []);
    const own = { policy: policy ?? modelPolicy, task: { goal: task.goal, inputs: [] } };
    return withTools({ ...own, capabilities: registry.offered, agents });
  }
  const { plan, external } = await revisionFor(task.revision);
  const node = plan.nodesById[task.nodeId];
  const agent = approvedAgent(task.agent, registry);
  if (node?.kind !== 'task') throw new RunFailureError('FATAL', `plan ${plan.digest} has no task ${task.nodeId}`);
  const inputs = await Promise.all(
    taskInputs(plan, node, { nodes: task.inputs, external }, store).map(async ({ name, read }) => ({
      name,
      text: textOf(await read()),
    })),
  );
  // The agent may ask people if its project may.
  const asking = registry.all.filter(({ name }) => name === 'ask' || name === 'clarify');
  const own = [...agent.capabilities, ...asking.filter((one) => !agent.capabilities.includes(one))];
  return withTools({
    agent,
    policy: agent.policy ?? modelPolicy,
    task: { goal: plan.goal, ...writtenOf(node), inputs },
    capabilities: own,
    agents: [],
  });
}

/** Depth 1: the plan that an agent submits goes to no agent. */
export function registryOf({ agent }: Decider, registry: CapabilityRegistry): CapabilityRegistry {
  if (agent === undefined) return registry;
  return {
    ...registry,
    agents: [],
    executor: (kind, name) => (kind === 'agent' ? undefined : registry.executor(kind, name)),
  };
}

/** With the capabilities of these names as tools, in the order of the project. */
export function offering({ capabilities, ...decider }: Decider, names: readonly string[]): Decider {
  return withTools({ ...decider, capabilities: capabilities.filter(({ name }) => names.includes(name)) });
}

function withTools(decider: Omit<Decider, 'tools'>): Decider {
  return { ...decider, tools: toolsFor({ ...decider, plans: true }) };
}

function writtenOf({ task, hint, context, arguments: args }: TaskNode): Omit<DecidingTask, 'goal' | 'inputs'> {
  return {
    task,
    ...(hint !== undefined && { hint }),
    ...(context !== undefined && { context: JSON.stringify(context) }),
    ...(args !== undefined && { arguments: JSON.stringify(args) }),
  };
}

/** The agent that was approved: it must be the one that was shown. */
function approvedAgent(label: string, registry: CapabilityRegistry): Agent {
  for (const name of registry.agents) {
    const executor = registry.executor('agent', name);
    const agent = registry.agent(name);
    if (executor !== undefined && agent !== undefined && executorLabel(executor) === label) return agent;
  }
  throw new RunFailureError(
    'CapabilityChanged',
    `the plan was approved with "${label}", which this worker does not have; run a worker with it, or start the plan anew`,
  );
}
