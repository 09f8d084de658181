/** Locks between processes, as files. */

import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The holder of a lock; the content of the lock file. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, when the lock was taken. */
  readonly since: string;
  /** The kernel's start time of the process, where it can be read: a reused pid is another process. */
  readonly processStart?: string;
}

export interface HeldLock {
  readonly ok: true;
  /** Hands the lock to another live process, which then holds it. */
  transfer(pid: number): Promise<void>;
  release(): Promise<void>;
}

export type Lock = HeldLock | { readonly ok: false; readonly holder: LockHolder };

export interface LockOptions {
  /** How long to wait for the holder, in milliseconds; 0 does not wait. */
  readonly wait: number;
  /** Called when the waiting begins and about every 5 seconds after. */
  readonly onWait?: (holder: LockHolder, waited: number) => void;
  readonly signal?: AbortSignal | undefined;
}

const RETRY_EVERY = 1000;
const TELL_EVERY = 5000;

/**
 * Takes a lock file, or says who holds it. A lock whose process is gone is stale and taken over; a lock of another
 * host is never stale, because that host's processes cannot be seen from here.
 */
export async function takeLock(path: string, options: LockOptions): Promise<Lock> {
  const started = Date.now();
  let tellAt = 0;
  for (;;) {
    if (await createLock(path, process.pid)) return heldLock(path);
    const content = await readIfThere(path);
    const holder = content === undefined ? undefined : parseHolder(content);
    if (content === undefined) continue;
    if (holder === undefined || !(await isAlive(holder))) {
      await removeStale(path, content);
      continue;
    }
    const waited = Date.now() - started;
    if (waited >= options.wait) return { ok: false, holder };
    if (waited >= tellAt) {
      options.onWait?.(holder, waited);
      tellAt += TELL_EVERY;
    }
    await pause(Math.min(RETRY_EVERY, options.wait - waited), undefined, { signal: options.signal });
  }
}

function heldLock(path: string): HeldLock {
  let held = true;
  return {
    ok: true,
    async transfer(pid) {
      const next = uniqueName(path);
      await writeFile(next, JSON.stringify(await holderFor(pid)));
      await rename(next, path);
    },
    async release() {
      // After the first time the file may be somebody else's lock.
      if (held) await rm(path, { force: true });
      held = false;
    },
  };
}

/** The file appears with its content or not at all, so that half a holder is never read. */
async function createLock(path: string, pid: number): Promise<boolean> {
  const draft = uniqueName(path);
  await writeFile(draft, JSON.stringify(await holderFor(pid)));
  try {
    return await linkIfFree(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function linkIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Two processes may find the same stale lock. The slower one may move away the quicker one's new lock: it is put back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = uniqueName(path);
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readIfThere(aside)) !== stale) await linkIfFree(aside, path);
  await rm(aside, { force: true });
}

async function holderFor(pid: number): Promise<LockHolder> {
  const processStart = await startOf(pid);
  const holder = { pid, host: hostname(), since: new Date().toISOString() };
  return processStart === undefined ? holder : { ...holder, processStart };
}

function parseHolder(content: string): LockHolder | undefined {
  try {
    const holder = JSON.parse(content) as LockHolder;
    return Number.isInteger(holder.pid) && holder.pid > 0 ? holder : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive(holder: LockHolder): Promise<boolean> {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
  return holder.processStart === undefined || holder.processStart === (await startOf(holder.pid));
}

/** Field 22 of `/proc/PID/stat` (proc(5)); undefined where there is no such file. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may contain spaces.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

function uniqueName(path: string): string {
  return `${path}.${randomUUID()}`;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
