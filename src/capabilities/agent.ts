/**
 * The agents of a project. An agent runs a task that names no capability: a model that calls capabilities as its tools.
 */

import { MAX_ROUNDS } from '../protocol/read-options.ts';
import { z } from 'zod';
import { budgetProblems, describe, given, isRecord, type Spending, EFFECTS, executorLabel } from '../protocol/index.ts';
import { count, declarationProblem, isWords } from './read-arguments.ts';
import type { Capability } from './capability.ts';
import { type JsonValue, canonicalJson, type Executor } from '../plan/index.ts';
import type { AnyDecision, Policy, Step } from './policy/index.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../models/index.ts';
import { createHash } from 'node:crypto';

/** Hexadecimal digits: enough to be unique in a project, and people read them in the text of a plan. */
const DIGITS = 12;

/** Its effect is the highest of its capabilities; without any it is `read`. */
export function agentExecutor(agent: Agent): Executor {
  const ranks = agent.capabilities.map(({ effect }) => EFFECTS.indexOf(effect));
  const effect = EFFECTS[Math.max(0, ...ranks)] ?? 'read';
  return { kind: 'agent', name: agent.name, version: versionOf(agent), effect };
}

export function capabilityExecutor({ name, version, effect, usesGoal }: Capability): Executor {
  return { kind: 'capability', name, version, effect, ...(usesGoal === false && { usesGoal }) };
}

/**
 * The first digits of SHA-256 over the agent's canonical form: its instructions, model, limits and capabilities. People
 * approve exactly these. A policy counts by its name, since the decisions of its stages are approved step by step. The
 * order of capabilities and the description do not count.
 */
function versionOf({ instructions, model = {}, policy, capabilities, limits, budget }: Agent): string {
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
  /**
   * Letters, digits, spaces, `.`, `_` and `-`, at most 80, not ending in a space. Plans name it in any case; no
   * capability has the same name.
   */
  readonly name: Name;
  readonly description: string;
  /** The text that the model gets before the task. */
  readonly instructions: string;
  /** Overrides the project's model settings. */
  readonly model?: AgentModel;
  /**
   * How it decides. Default: the model does. The version of the agent includes its name; its stages may change between
   * deployments.
   */
  readonly policy?: LoopPolicy;
  /** Its tools, each once. The project has them too. */
  readonly capabilities: readonly Capability[];
  readonly limits: Required<AgentLimits>;
  /** The most that one of its tasks may spend; a step is a task that it begins. Default: unlimited. */
  readonly budget?: Spending;
}

/** The model settings of one agent, which override those of the project. */
export interface AgentModel {
  /** Default: the project's. */
  readonly name?: string;
  /** 0 to 2. Default: the project's, else none is sent, since reasoning models refuse it. `null`: none is sent. */
  readonly temperature?: number | null;
  /** Tokens of one reply. Default: the project's, else the server's. */
  readonly maxTokens?: number;
}

/** Limits of an agent's work on one task: steps, replies without a result, and the time of one model call. */
export interface AgentLimits {
  /** Decided steps. Default 20. */
  readonly rounds?: number;
  /** Replies without a result that are repeated, with their fault (Pathfinder: no_steps). Default 5. */
  readonly attempts?: number;
  /**
   * One model call, in milliseconds, at most 290,000 (Pathfinder: sub-agent timeout). Default 120,000. A later reply
   * fails the task.
   */
  readonly attemptMs?: number;
}

/**
 * @bound .rounds decided steps of an agent, by default
 * @beyond the task fails
 * @bound .attempts replies without a result, by default
 * @beyond the task fails
 * @bound .attemptMs one model call of an agent, by default
 * @beyond the task fails
 */
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
  budget: z.unknown().optional(),
} satisfies Record<keyof Agent, z.ZodType>);

/** Fields with a default are optional. */
export type AgentDeclaration<Name extends string> = Omit<Agent<Name>, 'limits'> & { readonly limits?: AgentLimits };

/**
 * Declares an agent. Plans name it, and its task becomes a child run in which a model decides one step after the other.
 * @throws TypeError if the declaration contradicts itself
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

/** Plain JavaScript ignores the types. */
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

/** The decision of a model with the project's capabilities as tools. */
export type ToolDecision = {
  [Is in Step['is']]: {
    readonly action: Is;
    /** Further calls of the same reply, which are not carried out. */ readonly ignored?: number;
  } & Extract<Step, { is: Is }>;
}[Step['is']];

/** A policy for these surroundings, with any types of state and decisions. */
export type LoopPolicy = Policy<object, AnyDecision, RoundSurroundings>;

/** The task from the plan or the person. */
export interface DecidingTask {
  readonly goal: string;
  /** The agent's part of the goal. */
  readonly task?: string;
  readonly action?: string;
  readonly description?: string;
  readonly hint?: string;
  readonly context?: string;
  readonly arguments?: string;
  /** The type of its result, and the criteria for success. */
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  readonly inputs: readonly { readonly name: string; readonly text: string }[];
}

/** What a stage of a policy can use in one round: the task, the results so far, and the model. */
export interface RoundSurroundings {
  /** Counts from 1. */
  readonly round: number;
  readonly task: DecidingTask;
  /** For the model: why the last decision became no step. */
  readonly trouble?: string;
  /** The last rounds as decision, observation, decision, ...; older ones in one message before them. */
  readonly messages: readonly ModelMessage[];
  readonly capabilities: readonly string[];
  /** The types that a capability needs; empty for an unknown capability. */
  requiresOf(capability: string): readonly string[];
  providersOf(type: string): readonly string[];
  /** Keys of the results of a type, oldest first; those from outside the run come first. */
  keysOf(type: string): readonly string[];
  /**
   * Asks the model of this loop. The reply is journaled under the round and `purpose`: one purpose buys once.
   * @throws ModelError; a retryable one ends the attempt, others may be caught
   */
  ask(purpose: string, request: ModelRequest): Promise<ModelReply>;
  /**
   * Asks the model which capabilities the task needs, as before a plan (Osprey: extraction and selection): one question
   * for the task, one per capability, plus those that the selected ones require.
   */
  select(): Promise<readonly string[]>;
  /**
   * Asks the model for one tool call, with capabilities, agents, `submit_plan` and `finish` as tools. A reply without a
   * step is the decision `none`, which the next round sees. Several reads are the decision `reads`, if the policy has
   * an action of that name and its correctors accept it; else the first counts.
   * @param among names of the offered capabilities; default all
   */
  decide(among?: readonly string[]): Promise<ToolDecision>;
  /** The result of an earlier step by its key, if any. */
  read(key: string): Promise<JsonValue | undefined>;
}
