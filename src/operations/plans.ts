/** The place in which operations are carried out: a project, its result store and, once one is needed, a server. */

import type { Drafts } from '../capabilities/builtin/drafts/index.ts';
import type { Store } from '../store/index.ts';
import type { Signer } from '../client/index.ts';
import {
  connect,
  encryptionOf,
  equipped,
  folderStore,
  openProject,
  openStore,
  runIn,
  sessionIn,
  type EquippedProject,
  type Project,
  type ProjectOptions,
  type RunSession,
  type Session,
} from '../config/project/index.ts';
import { OperationError } from './operation-error.ts';

export interface PlansOptions extends ProjectOptions {
  /** Default: the project's, else `planwright`. */
  readonly taskQueue?: string | undefined;
  /** Signs everything that is said to a run. Default: nothing is signed. */
  readonly signer?: Signer | undefined;
  /** False: only the result store of the folder is looked for, so that a broken config is in nobody's way. Default true. */
  readonly readsConfig?: boolean;
  /** A project that is open already. Default: it is opened. */
  readonly project?: Project | undefined;
  /** How a command is typed where the answers are read. Default: `planwright COMMAND`. */
  readonly typed?: (command: string) => string;
}

/** Each part is opened when it is first asked for, and once. */
export interface Plans {
  /** undefined where none is named and the folder has none. @throws ProjectError, ConfigError */
  project(): Promise<Project | undefined>;
  /** The namespace: its runs, and runs that are started. @throws ClientError within 5 s where no server answers */
  session(): Promise<Session>;
  /** One run, on the task queue on which it waits. @throws as `session` */
  run(workflowId: string): Promise<RunSession>;
  /** @param options `compiles`: plans are checked against what the project can do */
  drafts(options?: { readonly compiles?: boolean }): Promise<Drafts>;
  /** The same place for somebody who signs otherwise what is said. It is let go of with this one. */
  signedBy(signer: Signer): Plans;
  /** The result store. @throws ConfigError where the environment does not have what names it */
  store(): Promise<Store>;
  /**
   * Another store, by the text that names it: read as it stands, and written encrypted where the project has keys.
   * @throws OperationError NO_KEY where it is encrypted and the project has none
   */
  storeAt(text: string, use: 'read' | 'write'): Promise<Store>;
  /** A command as somebody can type it who reads an answer. */
  typed(command: string): string;
  /** Lets go of the server, and ends what the project has started. */
  close(): Promise<void>;
}

/** @example const plans = openPlans({}); await status.run(plans, { workflowId: 'plan-1' }); await plans.close(); */
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
  const opened = async () => openStore(await store.get(), await encryption.get());
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
      signedBy: plansFor,
      // To talk to a run needs no more of the project than its store.
      async run(workflowId) {
        checkRunName(workflowId);
        const place = { store: await store.get(), signer, encryption: await encryption.get() };
        return runIn(await server.get(), workflowId, place);
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
        const plain = await openStore(text);
        const isHidden = (keys !== undefined && use === 'write') || (await isEncrypted(plain));
        if (!isHidden) return plain;
        if (keys === undefined) throw new OperationError('NO_KEY', keyless(plain.place));
        return openStore(text, keys);
      },
      async close() {
        await (await server.made())?.close();
        if (options.project === undefined) await (await project.made())?.close();
      },
    };
  }
}

/** @throws OperationError USAGE of an empty one, about which no server says anything useful */
export function checkRunName(workflowId: string): void {
  if (workflowId.trim() === '') throw new OperationError('USAGE', 'expected the id of a run, got an empty text');
}

/** Opens a thing once; one that could not be opened is opened anew when it is next asked for. */
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

/** The project with its capabilities. @throws OperationError NO_CONFIG that names the command with a demo, and as `Plans.project` */
export async function needProject(plans: Plans, command: string): Promise<EquippedProject> {
  const project = await plans.project();
  if (project !== undefined) return equipped(project);
  const { typed } = plans;
  throw new OperationError(
    'NO_CONFIG',
    `there is no planwright.config.ts in ${process.cwd()}; \`${typed('init')}\` writes one, --config FILE names one, ` +
      `or try \`${typed(`${command} --demo gene-strategies`)}\`${command === 'dev' ? '; --server-only starts a server without a worker' : ''}`,
  );
}
