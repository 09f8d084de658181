/** What the histories of a scenario say, read through a client as anybody can, and whether each of them replays. */

import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { Worker } from '@temporalio/worker';
import { decode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../src/worker/index.ts';
import { lenientCodec, openKeyring, type EncryptionKeys } from '../../src/protocol/encryption/index.ts';
import type { Broken, Completion } from './judge.ts';

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

export interface Told {
  /** Every activity whose completion was recorded. */
  readonly completions: readonly Completion[];
  /** Histories that do not replay, and runs whose last workflow task failed. */
  readonly broken: readonly Broken[];
}

/** Reads and replays every history that the task queue saw, those before a run went on in a new one too. */
export async function readHistories(
  client: Client,
  taskQueue: string,
  codePath: string,
  encryption?: EncryptionKeys,
): Promise<Told> {
  const completions: Completion[] = [];
  const broken: Broken[] = [];
  const { payloadCodecs } = client.options.loadedDataConverter;
  // As a worker has it: what cannot be decrypted is a message that cannot be read, and no end of the replay.
  const codec = lenientCodec(encryption && openKeyring(encryption));
  const options = { workflowBundle: { codePath }, dataConverter: { ...DATA_CONVERTER, payloadCodecs: [codec] } };
  for await (const { workflowId: run, runId } of client.workflow.list({ query: `TaskQueue = "${taskQueue}"` })) {
    const history = await client.workflow.getHandle(run, runId).fetchHistory();
    completions.push(...(await completionsOf(run, history, payloadCodecs)));
    const failed = lastFailure(history);
    if (failed !== undefined) broken.push({ run, how: 'failing', text: failed });
    await Worker.runReplayHistory(options, history, run).catch(async (error: unknown) => {
      const kept = join(tmpdir(), `planwright-no-replay-${run}-${runId}.json`);
      await writeFile(kept, JSON.stringify(JSON.parse(historyToJSON(history)), undefined, 1));
      // The reason stands inside of what the SDK's core printed.
      const reason = /message: "((?:[^"\\]|\\.)*)"/.exec(String(error))?.[1] ?? String(error).slice(0, 600);
      broken.push({ run, how: 'no-replay', text: `${reason}; kept in ${kept}` });
    });
  }
  return { completions, broken };
}

async function completionsOf(run: string, { events }: History, codecs: PayloadCodec[]): Promise<readonly Completion[]> {
  const scheduled = new Map<string, { readonly activity: string; readonly since: number }>();
  const found: Completion[] = [];
  for (const { eventId, eventTime, ...event } of events ?? []) {
    const at = tsToMs(eventTime);
    const { activityTaskScheduledEventAttributes: begins, activityTaskCompletedEventAttributes: ends } = event;
    if (begins?.activityId) scheduled.set(String(eventId), { activity: begins.activityId, since: at });
    const known = scheduled.get(String(ends?.scheduledEventId));
    // What was held back has not begun, and begins later.
    const [result] = await decode(codecs, ends?.result?.payloads?.slice(0, 1) ?? []);
    const isHeld = Buffer.from(result?.data ?? [])
      .toString('utf8')
      .startsWith('{"deferred":');
    if (known !== undefined && !isHeld) found.push({ run, at, ...known });
  }
  return found;
}

/** Why the last workflow task failed; undefined where it did not. */
export function lastFailure({ events }: History): string | undefined {
  const tasks = (events ?? []).filter(
    (event) => event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes,
  );
  return tasks.at(-1)?.workflowTaskFailedEventAttributes?.failure?.message ?? undefined;
}
