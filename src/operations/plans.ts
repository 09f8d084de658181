import type { Drafts } from '../capabilities/builtin/drafts/index.ts';
import type { Store } from '../store/index.ts';
import type { Signer } from '../client/index.ts';
import {
  connect,
  encryptionOf,
  equipped,
  folderStore,
  openProject,
  openProjectStore,
  connectRun,
  sessionIn,
  type EquippedProject,
  type Project,
  type ProjectOptions,
  type RunSession,
  type Session,
} from '../config/project/index.ts';
import { OperationError, wrongUsage } from './operation-error.ts';

export interface PlansOptions extends ProjectOptions {
  readonly taskQueue?: string | undefined;
  /** Signs every message to a run. Default: none. */
  readonly signer?: Signer | undefined;
  /** Whether to read the config. Default: true. If false, a broken config causes no error. */
  readonly readsConfig?: boolean;
  /** An open project. Default: opened on demand. */
  readonly project?: Project | undefined;
  /** Formats a command as people type it here. Default: `planwright COMMAND`. */
  readonly typed?: (command: string) => string;
}

export interface Plans {
  /** The project; undefined if the caller names none and the folder has none. @throws ProjectError, ConfigError */
  project(): Promise<Project | undefined>;
  /** The connection to the server. @throws ClientError within 5 s if none answers */
  session(): Promise<Session>;
  run(workflowId: string): Promise<RunSession>;
  /** Opens the drafts. @param options with `compiles`, plans are checked against the project */
  drafts(options?: { readonly compiles?: boolean }): Promise<Drafts>;
  readonly signer?: Signer | undefined;
  signedBy(signer: Signer): Plans;
  store(): Promise<Store>;
  /**
   * Opens another store than the project's. Reads items unchanged; encrypts what it writes if the project has keys.
   * @throws OperationError NO_KEY if it is encrypted and the project has no keys
   */
  storeAt(text: string, use: 'read' | 'write'): Promise<Store>;
  typed(command: string): string;
  close(): Promise<void>;
}

export function openPlans(options: PlansOptions): Plans {
  const { taskQueue, typed = (command) => `planwright ${command}` } = options;
  const project = once(async () => {
    if (options.readsConfig === false) return undefined;
    return options.project ?? openProject(options);
  });
  const store = once(async () => options.store ?? (await project.get())?.store() ?? folderStore());
  const encryption = once(async () => {
    const loaded = await project.get();
    return loaded === undefined ? encryptionOf(options) : loaded.encryption;
  });
  const server = once(async () => connect({}, await encryption.get()));
  const opened = async () => openProjectStore(await store.get(), await encryption.get());
  return plansFor(options.signer);

  function plansFor(signer: Signer | undefined): Plans {
    const session = once(async () => {
      const place = { store: await store.get(), taskQueue, signer, project: await project.get() };
      return sessionIn(await server.get(), { ...place, encryption: await encryption.get() });
    });
    return {
      project: project.get,
      session: session.get,
      typed,
      signer,
      signedBy: plansFor,
      // Opens only the store of the project. A session of a run does not need the project's capabilities.
      async run(workflowId) {
        checkRunName(workflowId);
        const place = { store: await store.get(), signer, encryption: await encryption.get() };
        return connectRun(await server.get(), workflowId, place);
      },
      async drafts({ compiles = false } = {}) {
        const { createDrafts } = await import('../capabilities/builtin/drafts/index.ts');
        const catalogue = compiles ? await (await project.get())?.openRegistry() : undefined;
        return createDrafts(await opened(), catalogue === undefined ? {} : { catalogue });
      },
      store: opened,
      async storeAt(text, use) {
        const { isEncrypted } = await import('../store/index.ts');
        const keys = await encryption.get();
        const plain = await openProjectStore(text);
        const isHidden = (keys !== undefined && use === 'write') || (await isEncrypted(plain));
        if (!isHidden) return plain;
        if (keys === undefined) throw new OperationError('NO_KEY', keyless(plain.place));
        return openProjectStore(text, keys);
      },
      async close() {
        await (await server.made())?.close();
        if (options.project === undefined) await (await project.made())?.close();
      },
    };
  }
}

/** Rejects a blank id, for which the server has no useful error. @throws OperationError USAGE */
export function checkRunName(workflowId: string): void {
  if (workflowId.trim() === '') throw wrongUsage('expected the id of a run, got an empty text');
}

/** Calls a function once and keeps its result. After a failure, the next use calls it again. */
function once<T>(open: () => Promise<T>) {
  let opened: Promise<T> | undefined;
  return {
    get: () =>
      (opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      })),
    made: async () => opened,
  };
}

export function keyless(place: string): string {
  return `the result store at ${place} is encrypted, and this project has no keys; give its config the "encryption" that others have`;
}

export async function equippedProject(plans: Plans): Promise<EquippedProject | undefined> {
  const project = await plans.project();
  return project && equipped(project);
}

/**
 * Opens the project with its capabilities.
 * @throws OperationError NO_CONFIG with the command that uses a demo; else as `Plans.project`
 */
export async function needProject(plans: Plans, command: string): Promise<EquippedProject> {
  const project = await equippedProject(plans);
  if (project !== undefined) return project;
  const { typed } = plans;
  throw new OperationError(
    'NO_CONFIG',
    `there is no planwright.config.ts in ${process.cwd()}; \`${typed('init')}\` writes one, --config FILE names one, ` +
      `or try \`${typed(`${command} --demo gene-strategies`)}\`${command === 'dev' ? '; --server-only starts a server without a worker' : ''}`,
  );
}
