/**
 * Locks between processes: files that name the process which has the lock. A database's lock passes to its server,
 * which may outlive the process that took it, so no timer can renew it.
 */

import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '../../client/reach/pollers.ts';
import { jsonIn } from '../../plan/text/index.ts';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** When the process started, according to the kernel, if readable. It differs if the pid was reused. */
  readonly processStart?: string | undefined;
}

export interface FileLock {
  transfer(pid: number): Promise<void>;
  release(): Promise<void>;
}

interface LockOptions {
  readonly wait: number;
  /** Called when the wait begins, and again if another process gets the lock. */
  readonly onWait?: (holder: LockHolder) => void;
  readonly signal?: AbortSignal | undefined;
}

const RETRY_EVERY = 1000;

/**
 * Takes a lock file, also from a process that no longer exists, but never from another host, whose processes are
 * invisible here. @returns the process with the lock, if it is taken
 */
export async function takeLock(path: string, { wait, onWait, signal }: LockOptions): Promise<FileLock | LockHolder> {
  const until = Date.now() + wait;
  let waitedFor = 0;
  for (;;) {
    // A link makes the file appear with its content, so nobody reads an incomplete one.
    const draft = await writeHolder(path, process.pid);
    const isTaken = await unless('EEXIST', link(draft, path).then(always));
    await rm(draft, { force: true });
    if (isTaken) return heldLock(path);
    const content = await unless('ENOENT', readFile(path, 'utf8'));
    if (content === undefined) continue;
    const holder = await livingHolder(content);
    if (holder === undefined) {
      await removeStale(path, content);
      continue;
    }
    if (Date.now() >= until) return holder;
    if (holder.pid !== waitedFor) onWait?.(holder);
    waitedFor = holder.pid;
    await pause(Math.min(RETRY_EVERY, until - Date.now()), undefined, { signal });
  }
}

function heldLock(path: string): FileLock {
  let isHeld = true;
  return {
    async transfer(pid) {
      await rename(await writeHolder(path, pid), path);
    },
    async release() {
      // After the first release, another process may have the lock.
      if (isHeld) await rm(path, { force: true });
      isHeld = false;
    },
  };
}

/** Removes a stale lock. If a slower process moves another process's new lock away, it puts the lock back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  if (!(await unless('ENOENT', rename(path, aside).then(always)))) return;
  if ((await readFile(aside, 'utf8')) !== stale) await unless('EEXIST', link(aside, path));
  await rm(aside, { force: true });
}

async function writeHolder(path: string, pid: number): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  const processStart = await startOf(pid);
  const holder: LockHolder = { pid, host: hostname(), since: new Date().toISOString(), processStart };
  await writeFile(draft, JSON.stringify(holder));
  return draft;
}

async function livingHolder(content: string): Promise<LockHolder | undefined> {
  const holder = jsonIn(content) as LockHolder | null | undefined;
  if (holder == null || !(holder.pid > 0) || holder.pid !== (holder.pid | 0)) return undefined;
  const { pid, host, processStart } = holder;
  if (host !== hostname()) return holder;
  const isThere = isAlive(pid) && (processStart === undefined || processStart === (await startOf(pid)));
  return isThere ? holder : undefined;
}

/** The start time in field 22 of `/proc/PID/stat` (proc(5)); undefined on systems without that file. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the program's name in parentheses, which may contain spaces.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

const always = () => true;

/** The value of `work`; undefined if it fails with this error code. */
async function unless<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error;
    return undefined;
  });
}
