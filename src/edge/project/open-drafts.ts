/** The drafts of a project, and the runs that they are handed off to. */

import type { PlanDocument } from '../../language/plan/index.ts';
import type { Drafts, StartRun } from '../../builtin/drafts/index.ts';
import type { Session } from './connect.ts';
import { folderStoreDir, openProject, type Project, type ProjectOptions } from './open-project.ts';

export interface OpenDrafts {
  readonly drafts: Drafts;
  readonly storeDir: string;
  readonly project: Project | undefined;
}

/** Plans are checked against the executors of the project, where there is one. @throws as `openProject`. */
export async function openDrafts(options: ProjectOptions, folder = process.cwd()): Promise<OpenDrafts> {
  const { createDrafts } = await import('../../builtin/drafts/index.ts');
  const { createFileStore } = await import('../../wire/results/index.ts');
  const project = await openProject(options, folder);
  const storeDir = options.store ?? project?.storeDir ?? (await folderStoreDir(folder));
  const catalogue = project?.registry;
  const drafts = createDrafts(createFileStore(storeDir), catalogue === undefined ? {} : { catalogue });
  return { drafts, storeDir, project };
}

/** A run of this id counts as started whether it is open or closed: the server would start a closed one anew. */
export function startOnce({ client, plans }: Session): StartRun {
  return async (document, workflowId, conversation) => {
    const run = client.workflow.getHandle(workflowId);
    const exists = await run.describe().then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
        throw error;
      },
    );
    if (exists) return { ok: true };
    const { ClientError } = await import('../client/index.ts');
    try {
      const options = conversation !== undefined && { options: { conversation } };
      return await plans.start(document as PlanDocument, { workflowId, ...options });
    } catch (error) {
      if (error instanceof ClientError && error.code === 'already-started') return { ok: true };
      throw error;
    }
  };
}
