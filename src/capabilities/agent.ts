/** The agents of a project. An agent runs a task: a model decides step by step, with capabilities as its tools. */

import { MAX_ROUNDS } from '../protocol/read-options.ts';
import { z } from 'zod';
import { budgetProblems, describe, given, isRecord, type Spending, EFFECTS, executorLabel } from '../protocol/index.ts';
import { count, declarationProblem, isWords } from './read-arguments.ts';
import type { Capability } from './capability.ts';
import { type JsonValue, canonicalJson, type Executor } from '../plan/index.ts';
import type { AnyDecision, Policy, Step } from './policy/index.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../models/index.ts';
import { createHash } from 'node:crypto';

/** Hexadecimal digits of a version: enough to be unique in a project, and short enough to read in a plan. */
const DIGITS = 12;

/** The effect of an agent is the strictest effect of its capabilities; `read` if it has none. */
export function agentExecutor(agent: Agent): Executor {
  const ranks = agent.capabilities.map(({ effect }) => EFFECTS.indexOf(effect));
  const effect = EFFECTS[Math.max(0, ...ranks)] ?? 'read';
  const { name, capabilities, untrusted = capabilities.some(mayReadUntrusted) } = agent;
  const source = untrusted === true ? `agent ${name}` : untrusted || undefined;
  return { kind: 'agent', name, version: agentVersion(agent), effect, ...given({ untrusted: source }) };
}

/** An agent may name a file later. The compile of the parent's plan cannot know whether that file is trusted. */
function mayReadUntrusted(one: Capability): boolean {
  return (one.untrusted ?? false) !== false || (one.kind !== 'wait' && one.readsResource !== undefined);
}

export function capabilityExecutor({ name, version, effect, usesGoal, untrusted, describedBy }: Capability): Executor {
  const source = untrusted === true ? (describedBy ?? name) : untrusted || undefined;
  return {
    ...{ kind: 'capability', name, version, effect, ...(usesGoal === false && { usesGoal }) },
    ...(typeof source === 'string' && { untrusted: source }),
  };
}

/**
 * The version of an agent: the first digits of the SHA-256 of its instructions, model, limits and capabilities, which
 * people approve. Of a policy it covers only the name, since people approve each step.
 */
function agentVersion({ instructions, model = {}, policy, capabilities, limits, budget }: Agent): string {
  const labels = capabilities
    .map((one) => `${executorLabel(capabilityExecutor(one))}${one.cost === undefined ? '' : ` cost ${one.cost}`}`)
    .toSorted();
  const { name, temperature, maxTokens } = model;
  const whole = {
    instructions,
    model: given({ name, temperature, maxTokens }),
    limits: { ...limits },
    capabilities: labels,
    ...(policy !== undefined && { policy: policy.name }),
    ...(budget !== undefined && { budget: { ...budget } }),
  };
  return createHash('sha256').update(canonicalJson(whole)).digest('hex').slice(0, DIGITS);
}

/** An agent of a project, made by `defineAgent`: a model that runs a task by calling capabilities as its tools. */
export interface Agent<Name extends string = string> {
  /** Letters, digits, spaces, `.`, `_`, `-`; at most 80; no space at the end. Plans may write the name in any case. */
  readonly name: Name;
  readonly description: string;
  readonly instructions: string;
  readonly model?: AgentModel;
  /** How the agent decides, by default by its model. The agent's version includes the name of the policy. */
  readonly policy?: LoopPolicy;
  /** The tools of the agent, each once. All of them are also capabilities of the project. */
  readonly capabilities: readonly Capability[];
  readonly limits: Required<AgentLimits>;
  /**
   * Whether its result is untrusted, as for a capability. Default: if one of its capabilities is untrusted or has
   * `readsResource`.
   */
  readonly untrusted?: boolean | string;
  /** The most that one task of the agent may spend, including its steps. Default: unlimited. */
  readonly budget?: Spending;
}

/** The model settings of one agent, which override those of the project. */
export interface AgentModel {
  /** The name of the model. Default: the project's model. */
  readonly name?: string;
  /** Temperature from 0 to 2. Default: the project's, else none, as reasoning models reject it. `null` sends none. */
  readonly temperature?: number | null;
  /** Maximum number of tokens in one reply. Default: the project's setting, or else the server's own limit. */
  readonly maxTokens?: number;
}

/** Limits of an agent's work on one task: steps, replies without a result, and the time of one model call. */
export interface AgentLimits {
  /** Maximum number of steps that the model decides. Default 20. */
  readonly rounds?: number;
  /** The number of consecutive replies without a step after which the task fails (Pathfinder: no_steps). Default 5. */
  readonly attempts?: number;
  /** Maximum milliseconds of a model call, at most 290,000 (Pathfinder: sub-agent timeout). Default 120,000. */
  readonly attemptMs?: number;
}

/** The default limits of an agent. */
const AGENT_LIMITS: Required<AgentLimits> = { rounds: 20, attempts: 5, attemptMs: 120_000 };
const MAX_ATTEMPT_MS = 290_000;

const MAX_TEMPERATURE = 2;

const NAME = /^[A-Za-z](?:[\w. -]{0,78}[\w.-])?$/;
const words = z.custom<string>(isWords, 'is a text that is not blank');
const TEMPERATURE = `is a number from 0 to ${MAX_TEMPERATURE}, or null to send none`;
const DECLARATION = z.strictObject({
  name: z.unknown(),
  description: words,
  instructions: words,
  model: z
    .strictObject({
      name: words.optional(),
      temperature: z.number(TEMPERATURE).min(0, TEMPERATURE).max(MAX_TEMPERATURE, TEMPERATURE).nullish(),
      maxTokens: count,
    } satisfies Record<keyof AgentModel, z.ZodType>)
    .optional(),
  policy: z.unknown().optional(),
  capabilities: z.array(z.custom<Capability>(isCapability, 'is no capability made by defineCapability'), 'is a list'),
  limits: z
    .strictObject({
      rounds: count.unwrap().max(MAX_ROUNDS, `is at most ${MAX_ROUNDS}`).optional(),
      attempts: count,
      attemptMs: count.unwrap().max(MAX_ATTEMPT_MS, `is at most ${MAX_ATTEMPT_MS}`).optional(),
    } satisfies Record<keyof AgentLimits, z.ZodType>)
    .optional(),
  untrusted: z.union([z.boolean(), words], 'is true, false or a text that is not blank').optional(),
  budget: z.unknown().optional(),
} satisfies Record<keyof Agent, z.ZodType>);

/** The declaration of an agent. Fields with a default are optional. */
export type AgentDeclaration<Name extends string> = Omit<Agent<Name>, 'limits'> & { readonly limits?: AgentLimits };

/**
 * Declares an agent. If a plan names the agent, the task becomes a child run in which a model decides the steps.
 * @throws TypeError if the declaration is invalid
 * @example defineAgent({ name: 'researcher', description: 'Finds sources.', instructions: 'Search before you answer.', capabilities: [search] });
 */
export function defineAgent<Name extends string>(declaration: AgentDeclaration<Name>): Agent<Name> {
  const { name, limits = {} } = declaration;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new TypeError(
      `agent ${describe(name)}: a name is letters, digits, spaces, ".", "_" and "-", at most 80, without a space at its end`,
    );
  }
  const problem = contradiction(declaration);
  if (problem !== undefined) throw new TypeError(`agent ${name}: ${problem}`);
  return { ...declaration, limits: { ...AGENT_LIMITS, ...given(limits) } };
}

function contradiction(declaration: AgentDeclaration<string>): string | undefined {
  const problem = declarationProblem(DECLARATION, declaration);
  if (problem !== undefined) return problem;
  const { capabilities, budget } = declaration;
  const names = capabilities.map(({ name }) => name);
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined) return `capability ${twice} is among its capabilities twice`;
  return budget === undefined ? undefined : budgetProblems(budget, 'budget', false)[0];
}

function isCapability(one: unknown): boolean {
  return isRecord(one) && typeof one['execute'] === 'function' && one['name'] !== undefined;
}

/** A decision of a model that has the project's capabilities as tools. */
export type ToolDecision = {
  [Is in Step['is']]: {
    readonly action: Is;
    /** The number of further calls in the same reply, which are not executed. */ readonly ignored?: number;
  } & Extract<Step, { is: Is }>;
}[Step['is']];

/** A policy for the rounds of this loop, with any types of state and decisions. */
export type LoopPolicy = Policy<object, AnyDecision, RoundSurroundings>;

export interface DecidingTask {
  readonly goal: string;
  /** The agent's part of the goal. */
  readonly task?: string;
  readonly action?: string;
  readonly description?: string;
  readonly hint?: string;
  readonly context?: string;
  readonly arguments?: string;
  /** The type of the result; `successCriteria` says when the task has succeeded. */
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  readonly inputs: readonly { readonly name: string; readonly text: string }[];
}

/** What a stage of a policy can use in one round: the task, the results so far, and the model. */
export interface RoundSurroundings {
  /** The number of the round, counted from 1. */
  readonly round: number;
  readonly task: DecidingTask;
  /** A sentence for the model that says why its last decision did not lead to a step. */
  readonly trouble?: string;
  /** The last rounds in turn as decision, observation, decision, and so on, after one message about older rounds. */
  readonly messages: readonly ModelMessage[];
  readonly capabilities: readonly string[];
  /** The types of results that a capability needs; empty for an unknown capability. */
  requiresOf(capability: string): readonly string[];
  providersOf(type: string): readonly string[];
  /** The keys of the results of a type, oldest first. Results from outside the run come before all others. */
  keysOf(type: string): readonly string[];
  /**
   * Asks the model. The reply is stored under the round and `purpose`, so that asking again for the same purpose is
   * free.
   * @throws ModelError; a retryable error ends the attempt, and the stage may catch the others
   */
  ask(purpose: string, request: ModelRequest): Promise<ModelReply>;
  /**
   * Asks the model which capabilities the task needs (Osprey: extraction and selection): one question for the task and
   * one for each capability. Adds the capabilities that the selected ones require.
   */
  select(): Promise<readonly string[]>;
  /**
   * Asks the model for one tool call, with capabilities, agents, `submit_plan` and `finish` as tools. A reply without a
   * step is the decision `none`. Several reads are the decision `reads` if the policy has that action and its
   * correctors accept it; otherwise only the first call counts.
   * @param among the names of the offered capabilities; by default all
   */
  decide(among?: readonly string[]): Promise<ToolDecision>;
  /** Returns the result of an earlier step by its key, if there is one. */
  read(key: string): Promise<JsonValue | undefined>;
}
