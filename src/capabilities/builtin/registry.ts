/** The capabilities and agents of a project: a Catalogue for the compiler, and executors for a worker. */

import { foldAgentName, type Catalogue, type Executor } from '../../plan/index.ts';
import {
  agentExecutor,
  capabilityExecutor,
  checkArguments,
  findResource,
  type Agent,
  type Capability,
  defineCapability,
} from '../index.ts';
import { ask, ANSWER_ARGUMENTS, answerFields, reportProblems, type AnswerArguments } from './ask.ts';
import { fileCapabilities } from './files/records.ts';
import type { FilesOptions } from './files/allowed-folders.ts';
import { respond } from './respond.ts';
import { z } from 'zod';
import type { Question } from '../../protocol/index.ts';

interface ClarifyArguments extends AnswerArguments {
  readonly questions?: string | readonly string[] | undefined;
}

/**
 * @bound questions of one `clarify`
 * @beyond refused
 */
const MAX_QUESTIONS = 4;

const input = z
  .strictObject({
    questions: z.union([z.string(), z.array(z.string()).min(1).max(MAX_QUESTIONS)]).optional(),
    ...ANSWER_ARGUMENTS,
  })
  // The text of the task is unknown here, and never blank.
  .superRefine((args, context) => reportProblems(toQuestion(args, 'task'), ARGUMENT_OF, context));

const ARGUMENT_OF = { text: 'questions', deadlineMs: 'deadline' };

/**
 * `clarify`: asks the person who gave the goal what is missing (Osprey: clarify asks 1-4 questions). Every project has
 * it.
 */
const clarify = defineCapability({
  name: 'clarify',
  kind: 'wait',
  description: 'Asks a person for what is missing, in one to four questions, and takes the answer as its result.',
  input,
  output: 'value',
  effect: 'read',
  execute: ({ task, arguments: args }) => toQuestion(args, task),
});

/** Several questions are numbered; without any, the task is the question. */
function toQuestion({ questions = [], ...answer }: ClarifyArguments, task: string): Question {
  const asked = typeof questions === 'string' ? [questions] : questions;
  const [only = task] = asked;
  // The number would hide a blank question among several.
  const hasBlank = asked.some((one) => one.trim() === '');
  const numbered = asked.map((one, index) => `${index + 1}. ${one}`).join('\n');
  return { text: hasBlank ? '' : asked.length > 1 ? numbered : only, ...answerFields(answer) };
}

/**
 * The capabilities and agents of a project, by name. The compiler checks plans against it, and a worker runs tasks with
 * it.
 */
export interface CapabilityRegistry extends Catalogue {
  capability(name: string): Capability | undefined;
  /** The name is case-sensitive. */
  agent(name: string): Agent | undefined;
  /** Every capability: of the project, of its agents, and built-in ones. */
  readonly all: readonly Capability[];
  /** The capabilities for models: all, except files if the project has not configured folders. */
  readonly offered: readonly Capability[];
  /** The others, and unusable ones, with the reason. */
  readonly withheld: NonNullable<Catalogue['withheld']>;
}

/** The options of `createRegistry`: the default executor of tasks, the agents, and the folders of files. */
export interface RegistryOptions {
  /** The executor of a task that names none, as `tasks.default` of a config. */
  readonly defaultExecutor?: string | undefined;
  /** The project has their capabilities too. */
  readonly agents?: readonly Agent[] | undefined;
  /**
   * The folders in which plans may read and write files of records (`records.file`, `records.write`). Default: none.
   * Models see them if `folders` is set.
   */
  readonly files?: FilesOptions | undefined;
  /** What cannot be offered, such as tools with unusable schemas, with the reason. */
  readonly withheld?: Catalogue['withheld'] | undefined;
  /** Adds capabilities while the registry is in use, such as the tools of a server that becomes reachable. */
  readonly later?: ((add: (capability: Capability) => void) => void) | undefined;
}

/** Every project has them, unless it declares its own of that name. */
const BUILT_IN: readonly Capability[] = [respond, ask, clarify];

/**
 * The capabilities and agents of a project, for a worker, and for `compilePlan` as its `catalogue`.
 * @throws TypeError if a name is ambiguous, a limit is invalid, or the default does not exist
 * @example createRegistry([search], { defaultExecutor: 'search' }).capabilities; // ['search', 'respond', 'ask', 'clarify']
 */
export function createRegistry(
  capabilities: readonly Capability[] = [],
  options: RegistryOptions = {},
): CapabilityRegistry {
  const { agents = [], files } = options;
  const ofFiles = files === undefined ? [] : fileCapabilities(files);
  const builtIn = [...BUILT_IN, ...ofFiles];
  const byName = capabilitiesByName(capabilities, agents, builtIn);
  const agentsByName = agentsOf(agents, byName);
  // Digests are computed once, since every task of a plan needs them.
  const executors = new Map<string, Executor>(
    [...byName.values()].map((one) => [one.name, capabilityExecutor(one)] as const),
  );
  for (const one of agentsByName.values()) executors.set(one.name, agentExecutor(one));
  const defaultExecutor = defaultOf(options.defaultExecutor, executors);
  const withheld = files?.folders === undefined ? ofFiles.filter((one) => byName.get(one.name) === one) : [];
  options.later?.((one) => {
    if (byName.has(one.name)) return;
    byName.set(one.name, one);
    executors.set(one.name, capabilityExecutor(one));
  });
  return {
    get all() {
      return [...byName.values()];
    },
    get offered() {
      return this.all.filter((one) => !withheld.includes(one));
    },
    get capabilities() {
      return [...byName.keys()];
    },
    get withheld() {
      return [...withheld.map(({ name }) => ({ name, why: NO_FOLDERS })), ...(options.withheld ?? [])];
    },
    agents: [...agentsByName.keys()],
    ...(defaultExecutor !== undefined && { defaultExecutor }),
    capability: (name) => byName.get(name),
    agent: (name) => agentsByName.get(name),
    executor(kind, name) {
      const found = executors.get(name);
      return found?.kind === kind ? found : undefined;
    },
    outputOf: ({ kind, name }) => (kind === 'agent' ? 'text' : byName.get(name)?.output),
    resourceOf({ kind, name }, args, isWhole) {
      const found = kind === 'agent' ? undefined : byName.get(name);
      return found === undefined ? { ok: true } : findResource(found, args, isWhole);
    },
    checkArguments({ kind, name }, args) {
      // An agent takes any arguments.
      const found = kind === 'agent' ? undefined : byName.get(name);
      // Missing arguments are checked as `{}`, so that a missing field is named.
      return found === undefined ? [] : checkArguments(found.input, args ?? {});
    },
  };
}

const NO_FOLDERS = 'the configuration names no folders for files (files.folders)';

/** The project's own come first, then those of agents; an agent may list what the project has. */
function capabilitiesByName(
  capabilities: readonly Capability[],
  agents: readonly Agent[],
  builtIn: readonly Capability[],
): Map<string, Capability> {
  const byName = new Map<string, Capability>();
  for (const one of capabilities) {
    if (byName.has(one.name)) throw new TypeError(`capability ${one.name} is declared twice`);
    byName.set(one.name, one);
  }
  for (const agent of agents) {
    for (const one of agent.capabilities) {
      const known = byName.get(one.name);
      if (known === undefined) byName.set(one.name, one);
      else if (known !== one) {
        throw new TypeError(
          `agent ${agent.name} lists a capability ${one.name} that is not the one the project has under this name; ` +
            'give both the same object, or one of them another name',
        );
      }
    }
  }
  for (const one of builtIn) if (!byName.has(one.name)) byName.set(one.name, one);
  return byName;
}

/** A name for both would make a default, a rule or a tool ambiguous. */
function agentsOf(agents: readonly Agent[], capabilities: ReadonlyMap<string, Capability>): ReadonlyMap<string, Agent> {
  const folded = new Map<string, string>();
  for (const { name } of agents) {
    const other = folded.get(foldAgentName(name));
    if (other === name) throw new TypeError(`agent ${name} is declared twice`);
    if (other !== undefined) {
      throw new TypeError(`agents ${other} and ${name} differ in case only, and plans name agents in any case`);
    }
    if (capabilities.has(name)) {
      throw new TypeError(`${name} is the name of a capability and of an agent; give one of them another name`);
    }
    folded.set(foldAgentName(name), name);
  }
  return new Map(agents.map((one) => [one.name, one]));
}

function defaultOf(name: string | undefined, executors: ReadonlyMap<string, Executor>): Executor | undefined {
  const found = name === undefined ? undefined : executors.get(name);
  if (name === undefined || found !== undefined) return found;
  const declared = [...executors.values()].map((one) => (one.kind === 'agent' ? `agent ${one.name}` : one.name));
  throw new TypeError(`tasks.default names ${name}; declared are ${declared.join(', ')}`);
}
