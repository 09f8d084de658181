/** Two processes that notify of one inbox, killed at random moments while people answer. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testFolder } from '../../support/folders.ts';
import { processOf } from '../../support/processes.ts';
import type { Random } from '../../faults/random.ts';
import { approvalItem, isSigned, openReceiver } from './receiving.ts';

const SECRET = 'a-secret-that-no-log-has';
/** Nothing is sent later after its answer. */
const AFTER_ANSWER_MS = 10_000;
const PER_KILL = 12;

export async function killWorkers(kills: number, random: Random): Promise<void> {
  const folder = testFolder('killed');
  let isBroken = false;
  const { url, arrived } = await openReceiver((response) => response.writeHead(isBroken ? 500 : 200).end());
  const file = join(folder, 'items.json');
  const open = new Map<string, object>();
  const answered = new Map<string, number>();
  let asked = 0;
  let log = '';

  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify([...open.values()]));
    renameSync(`${file}.new`, file);
  };
  const ask = () => {
    for (let n = 0; n < PER_KILL; n += 1) {
      const workflowId = `plan-${(asked += 1)}`;
      open.set(workflowId, approvalItem({ workflowId }));
    }
    write();
  };
  const hire = async (): Promise<ChildProcess> => {
    const env = { ...process.env, STORE: join(folder, 'store'), ITEMS: file, HOOK: url, KEY: SECRET };
    const child = spawn(process.execPath, [processOf('config/notify/notify-process')], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (log += piece.toString()));
    await once(child.stdout, 'data');
    return child;
  };

  ask();
  const crew = [await hire(), await hire()];
  for (let kill = 0; kill < kills; kill += 1) {
    const before = arrived.length;
    ask();
    isBroken = kill % 5 === 4;
    // Behind some message of this round, or while the receiver fails.
    const behind = before + 1 + random.below(PER_KILL);
    await expect.poll(() => arrived.length, { timeout: 60_000, interval: 1 }).toBeGreaterThanOrEqual(behind);
    const victim = kill % 2;
    crew[victim]!.kill('SIGKILL');
    await once(crew[victim]!, 'exit');
    for (const id of [...open.keys()].filter(() => random.percent(20))) {
      open.delete(id);
      answered.set(id, performance.now());
    }
    write();
    crew[victim] = await hire();
  }
  isBroken = false;
  const runOf = ({ message }: (typeof arrived)[number]) => String(message['workflowId']);
  const missing = () => {
    const there = new Set(arrived.map(runOf));
    return [...open.keys()].filter((id) => !there.has(id));
  };
  await expect.poll(missing, { timeout: 120_000, interval: 200 }).toEqual([]);
  const ids = new Map<string, Set<string>>();
  for (const one of arrived) ids.set(runOf(one), (ids.get(runOf(one)) ?? new Set()).add(one.id));
  expect([...ids.values()].every(({ size }) => size === 1)).toBe(true);
  expect(new Set(arrived.map(({ id }) => id)).size).toBe(ids.size);
  for (const one of arrived) expect(one.at).toBeLessThan((answered.get(runOf(one)) ?? Infinity) + AFTER_ANSWER_MS);
  expect(arrived.every((one) => isSigned(one, SECRET))).toBe(true);
  expect(log).not.toContain(SECRET);
}
