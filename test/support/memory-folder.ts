import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const LINUX = '/dev/shm';
/** What all tests have in use at a time is well below. A container may have 64 MiB. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Where the database of the test server and the stores of rigs lie: in memory, if the machine has such a folder. On a disk
 * half of the time of a run is waiting for it to sync. No test cuts the power: what a killed process has written is there
 * in either folder.
 */
export function memoryFolder(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(LINUX)) return tmpdir();
  const { bavail, bsize } = statfsSync(LINUX);
  return bavail * bsize >= ROOM_BYTES ? LINUX : tmpdir();
}
