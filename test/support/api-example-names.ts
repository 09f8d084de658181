/** What the examples in docstrings take for granted: what a program that imports the package has already. */

import type { Client as TemporalClient, Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type {
  Agent,
  AnyDecision,
  Capability,
  CompiledPlan,
  Executor,
  ModelClient,
  PlanNode,
  Policy,
  ResultSet,
  compilePlan,
  stagesOf,
} from '../../src/index.ts';
import type { CapabilityRegistry, ResultHandle, WorkCapability } from '../../src/capabilities.ts';
import type { ForeignTool } from '../../src/capabilities/builtin/tools/from-tools.ts';
import type { StartRun } from '../../src/capabilities/builtin/drafts/index.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import type { EncryptionKeys, PlanClient, RunStatus, nodeIdOf } from '../../src/client/index.ts';
import type { IdentityConfig, MessageToSign } from '../../src/protocol/identity/index.ts';
import type { ResultStore, Store } from '../../src/store/index.ts';
import type { openModels } from '../../src/worker.ts';
export { Client } from '@temporalio/client';
export { readFile } from 'node:fs/promises';
export { writeFileSync } from 'node:fs';
export { fileURLToPath } from 'node:url';
export { Worker } from '@temporalio/worker';
export { z } from 'zod';
type RunHandle = ReturnType<PlanClient['run']>;
export declare const plan: CompiledPlan;
export declare const before: CompiledPlan;
export declare const after: CompiledPlan;
export declare const wanted: CompiledPlan;
export declare const node: PlanNode;
export declare const executors: Record<string, Executor>;
export declare const error: unknown;
export declare const search: Capability;
export declare const store: Store;
export declare const token: string;
export declare const passphrase: string;
export declare const pem: string;
export declare const publicKey: string;
export declare const workflowId: string;
export declare const firstRunId: string;
export declare const digest: string;
export declare const document: string;
export declare const client: TemporalClient;
export declare const connection: Connection & NativeConnection;
export declare const run: RunHandle;
export declare const plans: PlanClient;
export declare const set: ResultSet;
export declare const genes: ResultSet;
export declare const peaks: ResultSet;
export declare const repeats: ResultSet;
export declare const signal: AbortSignal;
export declare const body: Blob;
export declare function show(what: unknown): void;
export declare function tell(what: string): void;
export declare const results: ResultStore;
export declare const registry: CapabilityRegistry;
export declare const place: {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
};
export declare const policy: Policy;
export declare const around: unknown;
export declare const keys: EncryptionKeys;
export declare const nodes: Parameters<typeof nodeIdOf>[1];
export declare const status: RunStatus;
export declare const models: NonNullable<ReturnType<typeof openModels>>;
export declare const order: { readonly state: string };
export declare const startRun: StartRun;
export declare const message: MessageToSign['message'];
export declare const identity: IdentityConfig;
export declare const key: string;
export declare const handle: ResultHandle;
export declare const text: string;
export declare const compiled: Extract<ReturnType<typeof compilePlan>, { readonly ok: true }> & {
  readonly executors: Record<string, Executor>;
};
export declare const researcher: Agent;
export declare const writer: Agent;
export declare const model: ModelClient;
export declare const on: ReturnType<typeof stagesOf<object, AnyDecision>>;
export declare const HELLO: AnyDecision;
export declare const activities: object;
export declare const square: WorkCapability;
export declare const openai: (model: string) => LanguageModel;
export declare const shopTools: { readonly [name: string]: ForeignTool };
