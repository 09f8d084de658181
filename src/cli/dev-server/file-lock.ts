/**
 * Locks between processes, as files that name their holder. A database's passes to its server, which may outlive the
 * process that took it: a lock that its taker must keep fresh by a timer would be lost with that process.
 */

import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { jsonIn } from '../../plan/text/index.ts';

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
  /** Called when the waiting begins, and again where another process has taken the lock meanwhile. */
  readonly onWait?: (holder: LockHolder) => void;
  readonly signal?: AbortSignal | undefined;
}

const RETRY_EVERY = 1000;

/**
 * Takes a lock file, or says who holds it. A lock whose process is gone is stale and taken over; a lock of another
 * host is never stale, because that host's processes cannot be seen from here.
 */
export async function takeLock(path: string, { wait, onWait, signal }: LockOptions): Promise<Lock> {
  const until = Date.now() + wait;
  let told = 0;
  while (!(await createLock(path))) {
    const content = await readIfThere(path);
    if (content === undefined) continue;
    const holder = await livingHolder(content);
    if (holder === undefined) {
      await removeStale(path, content);
      continue;
    }
    const left = until - Date.now();
    if (left <= 0) return { ok: false, holder };
    if (holder.pid !== told) onWait?.(holder);
    told = holder.pid;
    await pause(Math.min(RETRY_EVERY, left), undefined, { signal });
  }
  return heldLock(path);
}

function heldLock(path: string): HeldLock {
  let held = true;
  return {
    ok: true,
    async transfer(pid) {
      await rename(await writeHolder(path, pid), path);
    },
    async release() {
      // After the first time the file may be somebody else's lock.
      if (held) await rm(path, { force: true });
      held = false;
    },
  };
}

/** The file appears with its content or not at all, so that half a holder is never read. */
async function createLock(path: string): Promise<boolean> {
  const draft = await writeHolder(path, process.pid);
  try {
    return await link(draft, path).then(yes, noAt('EEXIST'));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Two processes may find the same stale lock. The slower one may move away the quicker one's new lock: it is put back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = uniqueName(path);
  if (!(await rename(path, aside).then(yes, noAt('ENOENT')))) return;
  if ((await readIfThere(aside)) !== stale) await link(aside, path).catch(noAt('EEXIST'));
  await rm(aside, { force: true });
}

async function writeHolder(path: string, pid: number): Promise<string> {
  const draft = uniqueName(path);
  const holder: LockHolder = { pid, host: hostname(), since: new Date().toISOString() };
  const processStart = await startOf(pid);
  await writeFile(draft, JSON.stringify({ ...holder, processStart }));
  return draft;
}

/** The holder in a lock file, unless it is gone or cannot be read. */
async function livingHolder(content: string): Promise<LockHolder | undefined> {
  const holder = jsonIn(content) as LockHolder | null | undefined;
  if (holder == null || !(holder.pid > 0)) return undefined;
  const { pid, host, processStart } = holder;
  if (host !== hostname()) return holder;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM') ? holder : undefined;
  }
  return processStart === undefined || processStart === (await startOf(pid)) ? holder : undefined;
}

/** Field 22 of `/proc/PID/stat` (proc(5)); undefined where there is no such file. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may contain spaces.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

async function readIfThere(path: string): Promise<string | undefined> {
  const content = await readFile(path, 'utf8').catch(noAt('ENOENT', 'ESRCH'));
  return content === false ? undefined : content;
}

function uniqueName(path: string): string {
  return `${path}.${randomUUID()}`;
}

const yes = () => true;

/** Takes a failure with one of these codes for the answer no. */
function noAt(...codes: readonly string[]): (error: unknown) => false {
  return (error) => {
    if (!isCode(error, ...codes)) throw error;
    return false;
  };
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
