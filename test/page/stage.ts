/** One run on a page that is served, as a test says that it stands, without a Temporal server. */

import type { Plans } from '../../src/operations/index.ts';
import { createApp } from '../../src/page/serve.ts';
import { startHttp } from '../../src/page/http-server.ts';
import type { Seen } from '../../src/page/watch.ts';
import type { FollowOptions } from '../../src/client/run-handle.ts';
import { ClientError } from '../../src/client/index.ts';
import { encodePlan, type CompiledPlan } from '../../src/plan/index.ts';
import type { TraceEntry } from '../../src/protocol/index.ts';
import { readResult, refOfDigest } from '../../src/store/index.ts';

export interface Stage {
  readonly origin: string;
  /** The run stands so from now on; whoever looks is told. */
  show(seen: Seen): void;
  /** The server has no such run any more. */
  lose(): void;
  close(): Promise<void>;
}

/** @param objects what the result store has, by reference @param entries of the trace */
export async function stageOf(
  first: Seen,
  objects: ReadonlyMap<string, Uint8Array> = new Map(),
  entries: readonly TraceEntry[] = [],
): Promise<Stage> {
  let now = first;
  let change = () => {};
  let isGone = false;
  const check = () => {
    if (isGone) throw new ClientError('no-run', `there is no run ${first.workflowId}`);
  };
  const plansSeen = new Map<string, CompiledPlan>();
  const keep = ({ plan }: Seen) => plan !== undefined && plansSeen.set(refOfDigest(plan.digest), plan);
  keep(first);
  const partsNow = () => ({
    ...now,
    plan: now.plan && { digest: now.plan.digest, ref: refOfDigest(now.plan.digest), revision: 1, text: '' },
    trace: { entries, dropped: 0 },
    times: { startedAt: now.status?.startedAt ?? '', ...(now.endedAt !== undefined && { endedAt: now.endedAt }) },
  });
  const run = {
    workflowId: first.workflowId,
    view: async () => partsNow(),
    async *follow({ signal, rest }: FollowOptions) {
      for (;;) {
        const changed = new Promise<void>((resolve) => (change = resolve));
        const { plan: shown, ...view } = now;
        yield { ...view, compiled: shown };
        if (now.end !== undefined) return;
        await Promise.race([changed, rest!(view as never, signal!)]);
        signal?.throwIfAborted();
        check();
      }
    },
    end: () => new Promise(() => {}),
    readResult: (ref: string) => readResult(store, ref),
  };
  const store = {
    place: 'here',
    get: async (ref: string) => objects.get(ref) ?? encodePlan(plansSeen.get(ref)!),
  };
  const inbox = async ({ limit }: { readonly limit: number }) => {
    const { open } = now;
    const groups = open.map((item) => ({
      first: item,
      count: 1,
      runs: [{ workflowId: item.workflowId, revision: 1 }],
    }));
    const [items, more] = [open.slice(0, limit), Math.max(0, open.length - limit)];
    return { items, more, groups: groups.slice(0, limit), unreachable: [], notAsked: 0 };
  };
  const plans = {
    typed: (command: string) => command,
    project: async () => undefined,
    run: async () => {
      check();
      return { run, store, results: store, listed: undefined, address: 'here', answers: async () => true };
    },
    session: async () => ({ answers: async () => true, address: 'here', namespace: 'default', plans: { inbox } }),
  };
  const bounds = { connections: 100, requestMs: 30_000 };
  const server = await startHttp({ ...bounds, host: '127.0.0.1', port: 0, flag: '--port' });
  const origin = `http://127.0.0.1:${server.port}`;
  const { app, close } = createApp({ plans: plans as unknown as Plans, entrance: { origins: [origin] } });
  server.answer(app.fetch);
  return {
    origin,
    show(seen) {
      now = seen;
      keep(seen);
      change();
    },
    lose() {
      isGone = true;
      change();
    },
    async close() {
      close();
      await server.close();
    },
  };
}
