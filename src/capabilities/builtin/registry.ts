import { foldAgentName, type Catalogue, type Executor } from '../../plan/index.ts';
import {
  agentExecutor,
  capabilityExecutor,
  checkArguments,
  findResource,
  findUntrustedSource,
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

/** Maximum number of questions in one `clarify`, as in Osprey. */
const MAX_QUESTIONS = 4;

const input = z
  .strictObject({
    questions: z.union([z.string(), z.array(z.string()).min(1).max(MAX_QUESTIONS)]).optional(),
    ...ANSWER_ARGUMENTS,
  })
  // The word stands for the task's text, which is unknown here but never blank.
  .superRefine((args, context) => reportProblems(toQuestion(args, 'task'), ARGUMENT_OF, context));

const ARGUMENT_OF = { text: 'questions', deadlineMs: 'deadline' };

/** The capability `clarify` asks a person for missing facts, in one to four questions as in Osprey. */
const clarify = defineCapability({
  name: 'clarify',
  kind: 'wait',
  description: 'Asks a person for what is missing, in one to four questions, and takes the answer as its result.',
  input,
  output: 'value',
  effect: 'read',
  execute: ({ task, arguments: args }) => toQuestion(args, task),
});

/** Joins the questions of `clarify` to one text, numbered if there are several. Default: the task's text. */
function toQuestion({ questions = [], ...answer }: ClarifyArguments, task: string): Question {
  const asked = typeof questions === 'string' ? [questions] : questions;
  const [only = task] = asked;
  // A blank question could hide behind its number, so one blank question makes the whole text blank.
  const hasBlank = asked.some((one) => one.trim() === '');
  const numbered = asked.map((one, index) => `${index + 1}. ${one}`).join('\n');
  return { text: hasBlank ? '' : asked.length > 1 ? numbered : only, ...answerFields(answer) };
}

/** The capabilities and agents of a project. The compiler checks plans against them, and workers run them. */
export interface CapabilityRegistry extends Catalogue {
  capability(name: string): Capability | undefined;
  /** Finds an agent by its exact name, in the same case. */
  agent(name: string): Agent | undefined;
  /** Every capability: of the project, of its agents, and built in. */
  readonly all: readonly Capability[];
  /** The capabilities that models see: all, except those for files if the project has not configured folders. */
  readonly offered: readonly Capability[];
  /** The capabilities that models do not see or that cannot be used, each with the reason. */
  readonly withheld: NonNullable<Catalogue['withheld']>;
}

/** The options of `createRegistry`: the default executor of tasks, the agents, and the folders of files. */
export interface RegistryOptions {
  /** The executor of a task that names none, as in `tasks.default` of a config. */
  readonly defaultExecutor?: string | undefined;
  /** The agents of the project. Their capabilities become capabilities of the project too. */
  readonly agents?: readonly Agent[] | undefined;
  /** The folders for files of records (`records.file`, `records.write`). Default: none. Models see these two if set. */
  readonly files?: FilesOptions | undefined;
  /** Capabilities that cannot be used, such as tools with invalid schemas, each with the reason. */
  readonly withheld?: Catalogue['withheld'] | undefined;
  /** Adds capabilities while the registry is in use, such as the tools of a server that becomes reachable. */
  readonly later?: ((add: (capability: Capability) => void) => void) | undefined;
}

/** The capabilities of every project. A project may replace one by its own with the same name. */
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
      const resource = found && findResource(found, args, isWhole);
      return resource?.ok === true ? { ...resource, ...findUntrustedSource(found!, args) } : (resource ?? { ok: true });
    },
    checkArguments({ kind, name }, args) {
      const found = kind === 'agent' ? undefined : byName.get(name);
      // Missing arguments are checked as `{}`, so that the problem names the missing field.
      return found === undefined ? [] : checkArguments(found.input, args ?? {});
    },
  };
}

const NO_FOLDERS = 'the configuration names no folders for files (files.folders)';

/** Capabilities by name: the project's, then those of its agents, which may list the project's capabilities too. */
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

/** An agent and a capability may not share a name: a default, a rule or a tool of this name would be ambiguous. */
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
