/** The project that a command works for: a config file, a demo, or nothing but a result store. */

import type { CapabilityRegistry } from '../../capabilities/index.ts';
import type { LoadedConfig, PlanwrightConfig } from '../../config/index.ts';
import { CliError } from '../cli-error.ts';

export interface ProjectOptions {
  readonly config?: string;
  readonly demo?: string;
  readonly store?: string;
}

export interface Project extends Pick<LoadedConfig, 'identity' | 'rules'> {
  /** The config file or the demo, as an option of a command. */
  readonly flag: string;
  readonly registry: CapabilityRegistry;
  readonly taskQueue: string;
  readonly storeDir: string;
}

/** The project, or `undefined` when none is named and this folder has no config. */
export async function openProject(options: ProjectOptions): Promise<Project | undefined> {
  const { config, demo, store } = options;
  if (config !== undefined && demo !== undefined) throw new CliError('USAGE', 'give --config or --demo, not both');
  const { findConfig, loadConfig } = await import('../../config/index.ts');
  const file = config ?? (demo === undefined ? findConfig(process.cwd()) : undefined);
  if (file === undefined && demo === undefined) return undefined;
  const loaded = demo === undefined ? await loadConfig(file ?? '') : await loadDemo(demo);
  const flag = demo === undefined ? (config === undefined ? '' : ` --config ${config}`) : ` --demo ${demo}`;
  const { taskQueue, identity, rules } = loaded;
  return {
    flag,
    registry: await registryOf(loaded),
    taskQueue,
    storeDir: store ?? loaded.storeDir,
    ...(identity !== undefined && { identity }),
    ...(rules !== undefined && { rules }),
  };
}

export async function requireProject(options: ProjectOptions, command: string): Promise<Project> {
  const project = await openProject(options);
  if (project !== undefined) return project;
  throw new CliError(
    'NO_CONFIG',
    `there is no planwright.config.ts in ${process.cwd()}; name one with --config FILE, ` +
      `or try \`planwright ${command} --demo gene-strategies\``,
  );
}

/** The store of a command that needs nothing else of its project. */
export async function openStoreDir(options: ProjectOptions): Promise<string> {
  if (options.store !== undefined) return options.store;
  const { storeDir } = await import('../../config/index.ts');
  return (await openProject(options))?.storeDir ?? storeDir(process.cwd());
}

async function registryOf({
  capabilities,
  defaultCapability,
  rules = [],
  file,
}: LoadedConfig): Promise<CapabilityRegistry> {
  const { createRegistry } = await import('../../capabilities/index.ts');
  try {
    const registry = createRegistry(capabilities, defaultCapability === undefined ? {} : { defaultCapability });
    for (const { capability } of rules) {
      if (capability === undefined || registry.capability(capability) !== undefined) continue;
      throw new TypeError(
        `approval.rules names capability ${capability}; declared are ${registry.capabilities.join(', ')}`,
      );
    }
    return registry;
  } catch (error) {
    throw new CliError('CONFIG_INVALID', `${file}: ${(error as Error).message}`);
  }
}

/** A demo keeps its results where a config of this folder would. */
async function loadDemo(name: string): Promise<LoadedConfig> {
  const { checkConfig } = await import('../../config/index.ts');
  const { resolve } = await import('node:path');
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const module = new URL(`../../demos/${name}/index.${extension}`, import.meta.url);
  if (!/^[a-z][a-z0-9-]*$/.test(name) || !(await exists(module))) {
    throw new CliError('NO_DEMO', `there is no demo "${name}"; known are ${(await demoNames()).join(', ')}`);
  }
  const { demo } = (await import(module.href)) as { demo: { config: PlanwrightConfig } };
  return checkConfig(demo.config, resolve('planwright.config.ts'));
}

async function exists(file: URL): Promise<boolean> {
  const { access } = await import('node:fs/promises');
  return access(file).then(
    () => true,
    () => false,
  );
}

async function demoNames(): Promise<readonly string[]> {
  const { readdir } = await import('node:fs/promises');
  const entries = await readdir(new URL('../../demos/', import.meta.url), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
