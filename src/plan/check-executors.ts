import { cutCharacters, describeValue, listNames, quote } from './text/index.ts';
import { foldAgentName } from './catalogue.ts';
import { canonicalJson } from './digest/index.ts';
import { isNote } from './names.ts';
import { didYouMean, below, farBelow } from './issues/index.ts';
import { findReferences } from './steps/index.ts';
import type { Catalogue, Executor } from './catalogue.ts';
import type { JsonValue } from './compiled-plan.ts';
import type { IssueList } from './issues/index.ts';
import type { NodeDraft, TaskFields } from './plan-reading.ts';
import type { StepDraft } from './steps/index.ts';

export interface KnownExecutors {
  readonly catalogue?: Catalogue | undefined;
  /** The names that a plan may use. They restrict the catalogue, or replace it if there is none. */
  readonly capabilities?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
}

const MAX_WHY = 500;

/** The capabilities that every project has and every plan may name. Both end the turn of a conversation. */
const BUILT_IN_CAPABILITIES = ['respond', 'clarify'];

/** Checks capabilities, agents and arguments of all tasks. If there is a catalogue, it also finds their executors. */
export function checkExecutors(
  drafts: readonly (NodeDraft | StepDraft)[],
  known: KnownExecutors,
  issues: IssueList,
): ReadonlyMap<NodeDraft | TaskFields, Executor> {
  const executors = new Map<NodeDraft | TaskFields, Executor>();
  const { catalogue } = known;
  const capabilities = nameList(known.capabilities, catalogue?.capabilities, BUILT_IN_CAPABILITIES);
  const agents = nameList(known.agents, catalogue?.agents, []);
  const capabilitySet = new Set(capabilities);
  const agentByFoldedName = new Map(agents?.map((name) => [foldAgentName(name), name]));

  for (const draft of drafts) {
    if (draft.kind !== 'task') continue;
    const capability = checkCapability(draft);
    const agent = checkAgent(draft);
    if (capability && agent && !BUILT_IN_CAPABILITIES.includes(capability))
      issues.add('warning', 'ignored-key', below(draft.place, 'agent'), () => ({
        message: `"capability" and "agent" both say what carries the task out; the capability counts. Keep one of them.`,
      }));
    const executor = catalogue && resolve(draft, capability, agent, catalogue);
    if (executor === undefined) continue;
    if (draft.argumentsRead) checkArguments(draft, executor, catalogue!);
    if (draft.unread !== undefined) refuseArguments(draft, draft.unread, executor, catalogue!);
    executors.set(draft, { ...executor, ...resourceOf(draft, executor, catalogue!) });
  }
  return executors;

  function checkCapability(task: TaskFields): string | undefined {
    const name = task.capability;
    if (name === '') return blank(task, 'capability', capabilities ?? []);
    if (name === undefined || capabilities === undefined || capabilitySet.has(name)) return name;
    return unknown(task, 'capability', name, capabilities);
  }

  function checkAgent(task: TaskFields): string | undefined {
    const name = task.agent;
    if (name === '') return blank(task, 'agent', agents ?? []);
    if (name === undefined || agents === undefined) return name;
    return agentByFoldedName.get(foldAgentName(name)) ?? unknown(task, 'agent', name, agents);
  }

  function resolve(
    task: TaskFields,
    capability: string | undefined,
    agent: string | undefined,
    from: Catalogue,
  ): Executor | undefined {
    if (task.capability !== undefined) return resolveNamed(task, 'capability', capability, from);
    if (task.agent !== undefined) return resolveNamed(task, 'agent', agent, from);
    if (from.defaultExecutor !== undefined) return from.defaultExecutor;
    const expected = [...(capabilities ?? []), ...(agents ?? [])];
    issues.add('error', 'no-executor', task.place, () => ({
      message:
        'The task names neither a capability nor an agent, and the project has no default for tasks. ' +
        `Give it a "capability" or an "agent"${expected.length > 0 ? ` (${listNames(expected)})` : ''}, or set a default.`,
      expected,
    }));
    return undefined;
  }

  function resolveNamed(
    task: TaskFields,
    kind: Executor['kind'],
    name: string | undefined,
    from: Catalogue,
  ): Executor | undefined {
    if (name === undefined) return undefined;
    const executor = from.executor(kind, name);
    if (executor === undefined) unknown(task, kind, name, from[kind === 'agent' ? 'agents' : 'capabilities']);
    return executor;
  }

  /** Rejects a blank name, as Osprey does. Otherwise the default executor would run a task meant for another. */
  function blank(task: TaskFields, kind: Executor['kind'], names: readonly string[]): undefined {
    issues.add('error', `unknown-${kind}`, below(task.place, kind), () => ({
      message: `"${kind}" is blank. Name ${names.length === 0 ? 'one' : `one of ${listNames(names)}`}, or leave the key out.`,
      expected: names,
      got: describeValue(''),
    }));
  }

  function unknown(task: TaskFields, kind: Executor['kind'], name: string, names: readonly string[]): undefined {
    const withheld = catalogue?.withheld?.find((one) => name === one.name || name.startsWith(`${one.name}.`));
    const why = withheld && `${quote(withheld.name)} is withheld: ${cutCharacters(withheld.why, MAX_WHY)}.`;
    issues.add('error', `unknown-${kind}`, below(task.place, kind), () => ({
      message:
        `There is no ${kind} ${quote(name)}${why === undefined ? `.${didYouMean(name, names)}` : `; ${why}`} ` +
        (names.length > 0 ? `Use one of ${listNames(names)}.` : 'None is known here.'),
      expected: names,
      got: name,
    }));
  }

  function resourceOf(task: TaskFields, executor: Executor, from: Catalogue): Pick<Executor, 'resource' | 'untrusted'> {
    if (from.resourceOf === undefined || !task.argumentsRead) return {};
    const args = task.arguments === undefined ? undefined : (JSON.parse(task.arguments) as JsonValue);
    const found = from.resourceOf(executor, args, replacedPaths(task, args).size === 0);
    if (found.ok) {
      const { ok: _, ...facts } = found;
      return facts;
    }
    issues.add('error', 'unknown-resource', below(task.place, task.argumentsKey), () => ({
      message: `${found.reason} (arguments of the ${executor.kind} ${quote(executor.name)})`,
    }));
    return {};
  }

  /** Rejects arguments that are written beside `arguments`, since they would be lost. */
  function refuseArguments(
    { place }: TaskFields,
    unread: { readonly [key: string]: unknown },
    executor: Executor,
    from: Catalogue,
  ): void {
    const keys = Object.keys(unread).filter((key) => unread[key] != null && !isNote(key));
    if (keys.length === 0) return;
    const unknownKeys = from
      .checkArguments(executor, Object.fromEntries([...keys, NO_ARGUMENT].map((key) => [key, null])))
      .flatMap(({ code, path }) => (code === 'unknown-argument' && path.length === 1 ? path : []));
    if (!unknownKeys.includes(NO_ARGUMENT)) return;
    for (const key of keys.filter((each) => !unknownKeys.includes(each))) {
      issues.add('error', 'unknown-key', below(place, key), () => ({
        message: `${quote(key)} is an argument of the ${executor.kind} ${quote(executor.name)}, and is not read here. Put it into the arguments.`,
      }));
    }
  }

  function checkArguments(task: TaskFields, executor: Executor, from: Catalogue): void {
    const args = task.arguments === undefined ? undefined : (JSON.parse(task.arguments) as JsonValue);
    const replaced = replacedPaths(task, args);
    for (const problem of from.checkArguments(executor, args)) {
      const { code = 'invalid-arguments', path, message, meant, ...more } = problem;
      if (code === 'invalid-arguments' && replaced.has(JSON.stringify(path))) continue;
      if (meant !== undefined) Object.assign(task, { arguments: canonicalJson(meant) });
      issues.add(
        meant === undefined ? 'error' : 'warning',
        code,
        () => farBelow(below(task.place, task.argumentsKey), path),
        () => ({ ...more, message: `${message} (arguments of the ${executor.kind} ${quote(executor.name)})` }),
      );
    }
  }
}

/** The paths where a run will insert the result of another step. The values there are not checked. */
function replacedPaths(task: TaskFields | StepDraft, args: JsonValue | undefined): ReadonlySet<string> {
  if (args === undefined || !('references' in task) || task.references.length === 0) return NONE;
  return new Set(findReferences(args).flatMap(({ path, whole }) => (whole ? [JSON.stringify(path)] : [])));
}

const NONE: ReadonlySet<string> = new Set();
const NO_ARGUMENT = ' no argument ';

/** The names that the caller declares, or else the catalogue's, plus `always`; undefined if there is neither list. */
function nameList(
  declared: readonly string[] | undefined,
  catalogued: readonly string[] | undefined,
  always: readonly string[],
): readonly string[] | undefined {
  const names = declared?.map((name) => name.trim()) ?? catalogued;
  return names && [...new Set([...names, ...always])];
}
