/** The site of a scenario: a server, a queue, a store, a ledger, workers, and the verdict when all is over. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { inject, onTestFinished } from 'vitest';
import { createPlanClient, type PlanClient, type RunHandle, type StartOptions } from '../../src/client/index.ts';
import type { CompiledPlan } from '../../src/plan/index.ts';
import { encryptionCodec, type EncryptionKeys } from '../../src/protocol/encryption/index.ts';
import { encryptedStore, openStore, type Store } from '../../src/store/index.ts';
import { startMember, type Member, type WorkerSettings } from './crew.ts';
import { readHistories } from './histories.ts';
import { judge, type Finding } from './judge.ts';
import { inFlight, openLedger, readLedger, type Deed, type Line, type Said } from './ledger.ts';
import { memoryFolder } from '../support/memory-folder.ts';

export interface Site {
  readonly folder: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly storeDir: string;
  readonly store: Store;
  readonly client: Client;
  readonly plans: PlanClient;
  /** Those that are there. */
  crew(): readonly Member[];
  hire(over?: Partial<WorkerSettings>): Promise<Member>;
  lines(): readonly Line[];
  flying(): readonly Deed[];
  write(line: Line): void;
  start(document: object, names: readonly string[], options?: StartOptions['options']): Promise<Started>;
  /** Says something and writes down when it was said and when it was heard. */
  say(said: Pick<Said, 'run' | 'word' | 'names'>, tell: () => Promise<unknown>): Promise<boolean>;
  fault(fault: string, make: () => Promise<unknown>): Promise<void>;
  /** What broke a rule; replays every history on the way. */
  verdict(): Promise<readonly Finding[]>;
}

export interface Started {
  readonly run: RunHandle;
  readonly plan: CompiledPlan;
}

export interface SiteOptions {
  /** The text that names the result store. Default: a folder of the site. */
  readonly place?: string;
  /** `host:port`. Default: the server of this test run. */
  readonly address?: string;
  /** Of the client, and of workers that are hired without other ones. Default: nothing is encrypted. */
  readonly encryption?: EncryptionKeys;
}

// What replaying says is no news.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} } },
});

/** A flood makes histories of more than the 4 MB that a client takes by default. */
const ANY_SIZE = { 'grpc.max_receive_message_length': -1 };
const WAIT_MS = 60_000;
let sites = 0;
let said = 0;

/** Opens a site that is cleared when the test has finished. */
export async function openSite(options: SiteOptions = {}): Promise<Site> {
  const { address = inject('address'), encryption } = options;
  const bundlePath = inject('bundlePath');
  const taskQueue = `faults-${process.pid}-${Date.now().toString(36)}-${++sites}`;
  const folder = await mkdtemp(join(memoryFolder(), 'planwright-faults-'));
  const storeDir = options.place ?? join(folder, 'results');
  const file = join(folder, 'ledger.jsonl');
  const write = openLedger(file);
  const connection = await Connection.connect({ address, channelArgs: ANY_SIZE });
  const client = new Client({ connection, dataConverter: { payloadCodecs: [encryptionCodec(encryption)] } });
  const plain = openStore(storeDir);
  const store = encryption === undefined ? plain : encryptedStore(plain, encryption);
  const place = { address, namespace: 'default', taskQueue };
  const plans = createPlanClient({ client, ...place, store });
  const crew = new Set<Member>();
  onTestFinished(async () => {
    await Promise.all([...crew].map((member) => member.kill()));
    await connection.close();
    if (process.env['PLANWRIGHT_KEEP'] === undefined)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    else process.stderr.write(`kept: ${folder}\n`);
  });

  const site: Site = {
    folder,
    address,
    taskQueue,
    storeDir,
    store,
    client,
    plans,
    write,
    crew: () => [...crew],
    async hire(over = {}) {
      const member = await startMember({
        ...{ address, taskQueue, folder, bundlePath, storeDir },
        ...(encryption !== undefined && { encryption }),
        ...over,
      });
      crew.add(member);
      void member.ended.then(() => crew.delete(member));
      return member;
    },
    lines: () => readLedger(file),
    flying() {
      const there = new Set([...crew].map(({ pid }) => pid));
      return inFlight(site.lines()).filter(({ pid }) => there.has(pid));
    },
    async start(document, names, runOptions = {}) {
      const workflowId = `${taskQueue}-${++said}`;
      const started = await plans.start(document, { workflowId, options: runOptions });
      if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
      write({ kind: 'opened', at: Date.now(), run: workflowId, names });
      return started;
    },
    async say(about, tell) {
      const id = ++said;
      write({ kind: 'said', at: Date.now(), id, ...about });
      try {
        const told = await tell();
        const isKept = typeof told === 'object' && told !== null && 'how' in told && told.how === 'kept';
        if (!isKept) write({ kind: 'heard', at: Date.now(), id });
        return !isKept;
      } catch (error) {
        if (isRefusal(error)) write({ kind: 'refused', at: Date.now(), id });
        return false;
      }
    },
    async fault(fault, make) {
      write({ kind: 'fault', at: Date.now(), fault, inFlight: site.flying().length });
      await make();
    },
    async verdict() {
      return judge({ lines: site.lines(), ...(await readHistories(client, taskQueue, bundlePath, encryption)) });
    },
  };
  return site;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'refused' || error.code === 'stale');
}

/** Asks again until it is so. @throws Error that says what was waited for, after 60 s or `ms`. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, ms = WAIT_MS): Promise<void> {
  for (const last = Date.now() + ms; !(await holds());) {
    if (Date.now() > last) throw new Error(`waited ${ms / 1000} s in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
