import { Context } from '@temporalio/activity';
import { decideRound, type Decider, modelPolicy, resultText, withTools } from '../planner/index.ts';
import {
  type DecideReply,
  type DecideRequest,
  type Deferral,
  executorLabel,
  given,
  RunFailureError,
} from '../protocol/index.ts';
import { isBlocked } from './begin-effect.ts';
import { compileAndStore } from './compile-plan.ts';
import { deferOnModelOutage, limitsOfModel, openModelOf } from './models.ts';
import type { PlannerSurroundings } from './plan-goal.ts';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import type { Agent, DecidingTask, LoopPolicy } from '../capabilities/index.ts';
import type { Executor, TaskNode } from '../plan/index.ts';
import { taskInputs } from './node-results.ts';
import { conversationResource } from '../store/index.ts';
import { checkTrusted, untrustedIn } from './untrusted.ts';

interface DecideSurroundings extends PlannerSurroundings {
  readonly policy?: LoopPolicy | undefined;
}

export async function decideStep(
  request: DecideRequest,
  surroundings: DecideSurroundings,
): Promise<DecideReply | Deferral> {
  const decider = await deciderOf(request, surroundings);
  const { patienceMs } = surroundings.models?.modelOf(decider.agent) ?? {};
  const reply = await deferOnModelOutage(patienceMs, (isFinal) => roundOf(request, surroundings, decider, isFinal));
  if ('deferred' in reply || request.notes === undefined) return reply;
  // Only the first reply contains the project. Every reply stays in the history, so later replies omit it.
  const { project: _, ...later } = reply;
  return later;
}

/** Runs a round. @param isLastAttempt if true, no retry follows, so a retryable failure becomes the outcome */
async function roundOf(
  request: DecideRequest,
  surroundings: DecideSurroundings,
  decider: Decider,
  isLastAttempt: boolean,
): Promise<DecideReply> {
  const { registry, store, stores, models, project, conversationOf } = surroundings;
  const { cancellationSignal: cancellation } = Context.current();
  const { context, limits, conversation: id } = request.options ?? {};
  const conversation = id === undefined ? undefined : conversationOf?.(id);
  const asked = models?.modelOf(decider.agent);
  const model = models &&
    asked && {
      name: asked.client.name,
      prompts: models.planner.prompts,
      format: models.planner.format,
      paid: openModelOf(asked, request, surroundings),
    };
  return decideRound(request, {
    decider,
    store,
    project,
    known: registry.all,
    ...(model !== undefined && { model }),
    ...(conversation !== undefined && { conversation }),
    compile: async (document, results) =>
      compileAndStore(
        {
          source: { document },
          firstRunId: request.firstRunId,
          limits: limitsOfModel(limits),
          ...given({
            context,
            conversation: id,
            untrusted: request.untrusted ?? (await untrustedIn(stores, id)),
          }),
        },
        registryOf(decider, registry),
        { store, stores },
        undefined,
        { results, isForModel: true },
      ),
    cancellation,
    isLastAttempt,
    passes: isBlocked,
  });
}

async function deciderOf(
  { task, notes, options = {} }: DecideRequest,
  { registry, stores, store, policy, revisionFor }: DecideSurroundings,
): Promise<Decider> {
  if ('goal' in task) {
    const agents = registry.agents.flatMap((name) => registry.agent(name) ?? []);
    const own = { policy: policy ?? modelPolicy, task: { goal: task.goal, inputs: [] } };
    return withTools({ ...own, capabilities: registry.offered, agents });
  }
  const { plan, isUntrusted } = await revisionFor(task.revision);
  // The model reads the conversation once, and the result of the agent was approved as trusted.
  if (notes === undefined && options.conversation !== undefined && !isUntrusted(task.nodeId))
    await checkTrusted(stores, conversationResource(options.conversation));
  const node = plan.nodesById[task.nodeId];
  const agent = approvedAgent(task.agent, registry);
  if (node?.kind !== 'task') throw new RunFailureError('FATAL', `plan ${plan.digest} has no task ${task.nodeId}`);
  const inputs = await Promise.all(
    taskInputs(plan, node, task.inputs, store).map(async ({ name, read }) => ({
      name,
      text: resultText(await read()),
    })),
  );
  // An agent may ask people if its project has a capability for questions.
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

/** The capabilities that a decision may use. An agent cannot delegate to other agents. */
function registryOf({ capabilities, agents }: Decider, registry: CapabilityRegistry): CapabilityRegistry {
  const { defaultExecutor, ...rest } = registry;
  const capability = (name: string) => capabilities.find((one) => one.name === name);
  const agent = (name: string) => agents.find((one) => one.name === name);
  const has = ({ kind, name }: Pick<Executor, 'kind' | 'name'>) =>
    (kind === 'agent' ? agent(name) : capability(name)) !== undefined;
  return {
    ...rest,
    all: capabilities,
    offered: capabilities,
    capabilities: capabilities.map(({ name }) => name),
    agents: agents.map(({ name }) => name),
    ...(defaultExecutor !== undefined && has(defaultExecutor) && { defaultExecutor }),
    capability,
    agent,
    executor: (kind, name) => (has({ kind, name }) ? registry.executor(kind, name) : undefined),
  };
}

function writtenOf({ context, arguments: args, ...node }: TaskNode): Omit<DecidingTask, 'goal' | 'inputs'> {
  const { task, action, description, hint, expectedOutput, successCriteria } = node;
  const texts = { action, description, hint, expectedOutput, successCriteria };
  return {
    task,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    ...(context !== undefined && { context: JSON.stringify(context) }),
    ...(args !== undefined && { arguments: JSON.stringify(args) }),
  };
}

function approvedAgent(label: string, registry: CapabilityRegistry): Agent {
  for (const name of registry.agents) {
    const executor = registry.executor('agent', name);
    const agent = registry.agent(name);
    if (executor !== undefined && agent !== undefined && executorLabel(executor) === label) return agent;
  }
  throw new RunFailureError(
    'CapabilityChanged',
    `the plan was approved with "${label}", which this worker does not have; run a worker with it, or start the plan again`,
  );
}
