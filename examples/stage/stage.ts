/** The place that a demo runs on: a server, a client, a place for its files, and workers that it can start. */

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { CapabilityRegistry } from 'planwright/capabilities';
import { connectClient, createPlanClient, type PlanClient } from 'planwright/client';
import { createFileStore } from 'planwright/results';
import type { Backstage, Screen, Server } from './backstage.ts';
import type { Cleanup } from './cleanup.ts';
import { wrap } from '../words.ts';
import { registryOf, type Demo, type TellOptions } from './demo.ts';
import { startDemoWorker, type DemoWorker } from './worker.ts';

export interface StageOptions {
  readonly demo: Demo;
  readonly options: TellOptions;
  readonly backstage: Backstage;
  readonly screen: Screen;
  readonly cleanup: Cleanup;
  readonly signal: AbortSignal;
}

export interface Stage extends StageOptions {
  readonly server: Server;
  /** The address of the server's Web UI, where there is one. */
  readonly uiUrl: string | undefined;
  readonly client: Client;
  readonly plans: PlanClient;
  /** The id of the one run of this demo; its task queue has the same name, so that no other worker takes its work. */
  readonly workflowId: string;
  readonly registry: CapabilityRegistry;
  readonly storeDir: string;
  readonly ledgerFile: string;
  readonly logFile: string;
  /** The file that the demo keeps beside its results, where it keeps one. */
  readonly stateFile: string;
  /** The file of the calls of its model, where it asks one. */
  readonly modelFile: string;
  /** Starts a worker, which `cleanup` stops. */
  startWorker(): Promise<DemoWorker>;
}

/** Finds or starts a server and connects to it. Starts no worker. */
export async function openStage(on: StageOptions): Promise<Stage> {
  const { demo, options, backstage, screen, cleanup, signal } = on;
  const onProgress = (line: string) =>
    screen.say(...wrap(line, screen.width - 2).map((part) => `  ${screen.paint('dim', part)}`));
  const server = await backstage.connectOrStart({ onProgress, detach: options.keep, signal });
  cleanup.add(() => server.stop());

  const { address, namespace } = server;
  const connected = await connectClient({ address, namespace });
  cleanup.add(() => connected.close());

  const workflowId = `${demo.name}-${randomBytes(3).toString('hex')}`;
  const folder = join(backstage.cacheFolder(), demo.name);
  const storeDir = join(folder, 'results');
  const ledgerFile = join(folder, `${workflowId}.ledger.jsonl`);
  const logFile = join(folder, `${workflowId}.worker.log`);
  const stateFile = join(folder, `${workflowId}.state.jsonl`);
  const modelFile = join(folder, `${workflowId}.models.jsonl`);
  const told = { ...options, stateFile, modelFile };
  await mkdir(folder, { recursive: true });

  const registry = registryOf(demo.createConfig(told));
  const plans = createPlanClient({
    client: connected.client,
    ...{ address, namespace, taskQueue: workflowId },
    store: createFileStore(storeDir),
    catalogue: registry,
  });
  return {
    ...on,
    ...{
      server,
      uiUrl: await backstage.webUiOf(server),
      client: connected.client,
      plans,
      workflowId,
      registry,
      storeDir,
      ledgerFile,
      logFile,
      stateFile,
      modelFile,
    },
    async startWorker() {
      const place = { demo: demo.name, address, namespace, taskQueue: workflowId };
      const worker = await startDemoWorker({ ...place, ...told, storeDir, ledgerFile }, logFile, signal);
      cleanup.add(worker.stop);
      return worker;
    },
  };
}

/** The link to the run in the Web UI, or where to look for it. */
export async function linkOf({ client, server, uiUrl, workflowId }: Stage): Promise<string> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const path = `/namespaces/${server.namespace}/workflows/${workflowId}/${runId}`;
  return uiUrl === undefined ? `${path} in the Web UI of ${server.address}` : uiUrl + path;
}

/** A path as people read it, with `~` for their home. */
export function shortPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
