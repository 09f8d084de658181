import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { ClientError } from '../../client/index.ts';
import { DEFAULT_NAMESPACE } from '../../protocol/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import type { ProjectModels } from '../../activities/index.ts';
import type { Agent } from '../../capabilities/index.ts';
import {
  isModelClient,
  modelKey,
  modelSettings,
  withSecrets,
  type ChosenModel,
  type PlanwrightConfig,
} from '../index.ts';
import { openAIClient, type ModelClient } from '../../models/index.ts';
import { readPrompts } from '../../planner/index.ts';

/** A worker's open connection to a Temporal server, and the namespace of its runs. */
export interface WorkerConnection {
  readonly connection: NativeConnection;
  readonly namespace: string;
}

/** Time limit in ms for connecting. A server that accepts but never answers must not block the worker. */
const CONNECT_MS = 10_000;

/**
 * Connects by the Temporal CLI's profile and TEMPORAL_* variables. `address` and `namespace` override these.
 * @throws ClientError `no-server` within 10 s if nothing answers
 * @example const { connection, namespace } = await connectWorker({ address: '127.0.0.1:7233' });
 */
export async function connectWorker(target: { address?: string; namespace?: string } = {}): Promise<WorkerConnection> {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = target.address ?? connectionOptions.address;
  const connecting = NativeConnection.connect({ ...connectionOptions, ...(address !== undefined && { address }) });
  const connection = await within(CONNECT_MS, connecting).catch((cause: unknown) => {
    const message = `no Temporal server answers at ${address ?? 'the default address'} (${messageOf(cause)}); start one with "npx planwright dev", or set TEMPORAL_ADDRESS`;
    throw new ClientError('no-server', message, { cause });
  });
  return { connection, namespace: target.namespace ?? namespace ?? DEFAULT_NAMESPACE };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = pause(ms, undefined, over).then(() => Promise.reject(new Error(`nothing within ${ms / 1000} s`)));
  return Promise.race([work, late]).finally(() => over.abort());
}

type Configured = Pick<PlanwrightConfig, 'model' | 'planner'>;

/**
 * Creates the models of the planner, of agents and of capabilities. The settings of each override the project's.
 * @param typed settings that override the planner's
 * @returns undefined if no model is configured
 * @throws TypeError that names the setting or the prompt that does not fit
 * @example const models = openModels({ model: { baseURL: 'http://127.0.0.1:8080/v1', name: 'local' } });
 */
export function openModels({ model, planner }: Configured, typed?: Configured['model']): ProjectModels | undefined {
  const clients = new Map<string, ModelClient>();
  const forPlanner = modelSettings(model, planner?.model, typed);
  if (forPlanner === undefined) return undefined;
  return {
    planner: {
      ...clientFor(forPlanner, clients),
      prompts: readPrompts(planner?.prompts, 'planner.prompts'),
      format: planner?.format ?? 'nodes',
    },
    modelOf: (agent?: Agent) => clientFor(modelSettings(model, agent?.model) ?? forPlanner, clients),
  };
}

/** One client for each server and model, since the client's queue limits concurrent calls. */
function clientFor({ client: chosen, ...settings }: ChosenModel, clients: Map<string, ModelClient>) {
  if (isModelClient(chosen)) return { client: chosen, ...settings };
  const name = JSON.stringify(chosen);
  const apiKey = modelKey(chosen);
  const client = clients.get(name) ?? openAIClient({ ...withSecrets(chosen), ...(apiKey !== undefined && { apiKey }) });
  clients.set(name, client);
  return { client, ...settings };
}
