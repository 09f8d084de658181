/** The project of a folder: a config, a demo, or only a result store. */

import { resolve } from 'node:path';
import type { CapabilityRegistry, McpTools } from '../../capabilities/builtin/index.ts';
import type { LoadedConfig, Encryption, PlanwrightConfig } from '../index.ts';
import { given } from '../../protocol/index.ts';
import { findConfig } from '../import-config.ts';
import type { Capability } from '../../capabilities/index.ts';
import { openProjectStore, sessionIn, startOnce, withConnection, type Session } from './connect.ts';

export const DEMO_NAMES = ['gene-strategies', 'control-room', 'agents', 'market-sizing'] as const;

interface ListedDemo {
  readonly name: string;
  readonly title: string;
  readonly asks: boolean;
  readonly planner: 'always' | 'from-goal' | 'none';
  readonly reactive?: true;
  load(): Promise<{ readonly config: PlanwrightConfig }>;
}

interface Examples {
  readonly DEMOS: readonly ListedDemo[];
  play(
    demo: ListedDemo,
    options: object,
    output: object,
    backstage: object,
  ): Promise<'done' | 'badOutcome' | 'rejected'>;
}

/** Tests and benches import the sources, all others `dist`. */
const EXAMPLES = new URL(
  import.meta.url.endsWith('.ts') ? '../../../examples/index.ts' : '../../examples/index.js',
  import.meta.url,
);

export function loadExamples(): Promise<Examples> {
  return import(EXAMPLES.href) as Promise<Examples>;
}

type FoundDemo = { readonly ok: true; readonly demo: ListedDemo } | { readonly ok: false; readonly message: string };

export async function findDemo(name: string): Promise<FoundDemo> {
  const { DEMOS } = await loadExamples();
  const demo = DEMOS.find((one) => one.name === name);
  if (demo !== undefined) return { ok: true, demo };
  return { ok: false, message: `there is no demo "${name}"; known are ${DEMO_NAMES.join(', ')}` };
}

/** `ambiguous`: the caller names both a config and a demo. */
export type ProjectErrorCode = 'ambiguous' | 'invalid-config' | 'no-demo';

export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  readonly code: ProjectErrorCode;
  constructor(code: ProjectErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface ProjectOptions {
  /** Default: `planwright.config.*` of the folder. */
  readonly config?: string | undefined;
  readonly demo?: string | undefined;
  /** The text for `openStore`. Default: the config's, or PLANWRIGHT_STORE, or `.planwright/results`. */
  readonly store?: string | undefined;
}

type Behind = 'file' | 'files' | 'capabilities' | 'agents' | 'defaultExecutor' | 'conversation';

export interface Project extends Omit<LoadedConfig, Behind> {
  /** The option that names the project, for printed commands: `''` or ` --config FILE`. */
  readonly flag: string;
  /**
   * Creates the capabilities and agents once, and starts the MCP servers.
   * @throws ProjectError with the problem
   */
  openRegistry(): Promise<CapabilityRegistry>;
  /** Stops the MCP servers. */
  close(): Promise<void>;
}

export interface EquippedProject extends Project {
  readonly registry: CapabilityRegistry;
}

export async function equipped(project: Project): Promise<EquippedProject> {
  return { ...project, registry: await project.openRegistry() };
}

/**
 * The named project, or that of the folder; undefined if there is none.
 * @throws ProjectError, or ConfigError that names every wrong field
 */
export async function openProject(options: ProjectOptions, folder = process.cwd()): Promise<Project | undefined> {
  const { config, demo, store } = options;
  if (config !== undefined && demo !== undefined) {
    throw new ProjectError('ambiguous', 'give --config or --demo, not both');
  }
  const file = config ?? (demo === undefined ? findConfig(folder) : undefined);
  if (file === undefined && demo === undefined) return undefined;
  const { loadConfig } = await import('../index.ts');
  const loaded = demo === undefined ? await loadConfig(file ?? '') : await loadDemo(demo, folder);
  const flag = demo === undefined ? (config === undefined ? '' : ` --config ${config}`) : ` --demo ${demo}`;
  return projectOf(loaded, flag, store);
}

/** A project without a config. Its plans have the built-in capabilities and the folder's files. */
export async function bareProject(folder = process.cwd()): Promise<Project> {
  const { checkConfig } = await import('../index.ts');
  return projectOf(checkConfig({}, resolve(folder, CONFIG)), '', undefined);
}

const CONFIG = 'planwright.config.ts';

function projectOf(loaded: LoadedConfig, flag: string, named: string | undefined): Project {
  const store = named === undefined ? loaded.store : () => named;
  let opened: Promise<Opened> | undefined;
  return {
    ...loaded,
    ...{ flag, store },
    async openRegistry() {
      opened ??= registryOf(loaded, store).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return (await opened).registry;
    },
    async close() {
      await (await opened?.catch(() => undefined))?.tools?.close();
    },
  };
}

interface Opened {
  readonly registry: CapabilityRegistry;
  readonly tools?: McpTools;
}

/**
 * The encryption settings of a project. Does not import a config whose text lacks the word `encryption`.
 * @throws ConfigError if the config cannot be read, since messages would otherwise be sent unencrypted
 */
export async function encryptionOf({ config, demo }: ProjectOptions, folder = process.cwd()) {
  const { loadConfig, mayEncrypt } = await import('../index.ts');
  const file = config ?? (demo === undefined ? findConfig(folder) : undefined);
  return file === undefined || !mayEncrypt(file) ? undefined : (await loadConfig(file)).encryption;
}

/** The store without the config, which may be broken: PLANWRIGHT_STORE, or `.planwright/results`. */
export async function folderStore(folder = process.cwd()): Promise<string> {
  const { storeOf } = await import('../index.ts');
  return storeOf(folder);
}

/** The folder of the store; empty if the store is no folder, or a variable in its name is missing. */
async function foldersOf(store: () => string): Promise<readonly string[]> {
  const { isRemoteStore } = await import('../../store/index.ts');
  try {
    return isRemoteStore(store()) ? [] : [resolve(store())];
  } catch {
    return [];
  }
}

async function registryOf(loaded: LoadedConfig, store: () => string): Promise<Opened> {
  const { capabilities, agents, defaultExecutor, rules = [], file, files, taskQueue, encryption, mcp } = loaded;
  const { createRegistry, openMcpTools } = await import('../../capabilities/builtin/index.ts');
  const { withMcpSecrets } = await import('../index.ts');
  let tools: McpTools | undefined;
  try {
    const ofConversations = loaded.conversation ? await conversationCapabilities(store, taskQueue, encryption) : [];
    const { servers, secrets } = withMcpSecrets(mcp ?? {});
    tools = mcp && (await openMcpTools(servers, { folder: files.base, secrets }));
    const registry = createRegistry(
      [...capabilities, ...ofConversations, ...(tools?.capabilities ?? [])],
      given({
        agents,
        files: { ...files, except: await foldersOf(store) },
        defaultExecutor,
        withheld: tools?.withheld,
        later: tools?.later,
      }),
    );
    for (const { capability } of rules) {
      // A rule may name a tool of an MCP server that is unavailable now.
      const isAway = registry.withheld.some(({ name }) => capability?.startsWith(`${name}.`) === true);
      if (capability === undefined || isAway || registry.capability(capability) !== undefined) continue;
      throw new TypeError(`approval.rules names ${capability}; declared are ${registry.capabilities.join(', ')}`);
    }
    return { registry, ...given({ tools }) };
  } catch (error) {
    await tools?.close();
    throw new ProjectError('invalid-config', `${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Opens a demo as a project. Results go where the folder's config would put them. Plans cannot use its files. */
async function loadDemo(name: string, folder: string): Promise<LoadedConfig> {
  const { checkConfig } = await import('../index.ts');
  const found = await findDemo(name);
  if (!found.ok) throw new ProjectError('no-demo', found.message);
  const { config } = await found.demo.load();
  return checkConfig({ ...config, files: { folders: [] } }, resolve(folder, CONFIG));
}

/**
 * The capabilities for drafts. They connect to the server only when they are called, since a project may be opened
 * without one.
 */
async function conversationCapabilities(
  store: () => string,
  taskQueue: string,
  encryption: Encryption | undefined,
): Promise<readonly Capability[]> {
  const { draftCapabilities } = await import('../../capabilities/builtin/index.ts');
  const { createDrafts } = await import('../../capabilities/builtin/drafts/index.ts');
  return draftCapabilities({
    drafts: createDrafts(await openProjectStore(store(), encryption)),
    startRun: (...request) => within((session) => startOnce(session)(...request)),
    resultsOf: (workflowId, signal) => within((session) => resultsOf(session, workflowId, signal)),
  });

  function within<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const options = { store: store(), taskQueue, encryption };
    return withConnection({}, async (connected) => work(await sessionIn(connected, options)), encryption);
  }
}

async function resultsOf({ plans }: Session, workflowId: string, signal: AbortSignal) {
  const { resultJson } = await import('../../planner/index.ts');
  const run = plans.run(workflowId);
  const end = await run.end(signal);
  if (end.how !== 'completed') return { outcome: end.how, message: end.message, results: {} };
  const { outcome, result, results } = end.result;
  const handles = Object.entries(results ?? (result === undefined ? {} : { result }));
  const values = await Promise.all(
    handles.map(async ([key, { ref }]) => [key, resultJson(await run.readResult(ref))] as const),
  );
  return { outcome, results: Object.fromEntries(values) };
}
