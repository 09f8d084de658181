/** A project with files, and its capabilities that read and write them. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { createSet, type ResultSet } from '../../src/plan/algebra/index.ts';
import { createRegistry, type FilesOptions } from '../../src/capabilities/builtin/index.ts';
import type { Capability } from '../../src/capabilities/index.ts';
import type { Result } from '../../src/store/index.ts';
import { carryOut } from './carry-out.ts';
import { testFolder } from '../support/folders.ts';

/** A folder of its own for each test, and the project in it. */
export let top: string;
export let base: string;
export function useFolders(): void {
  beforeEach(() => {
    top = testFolder('files');
    base = join(top, 'project');
    mkdirSync(base);
  });
}

export const GENES = 'chr1\t9\t20\tg1\t0\t+\nchr1\t29\t40\tg2\t0\t-\n';

export function put(path: string, content: string | Uint8Array): string {
  const full = join(base, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, content);
  return full;
}

export function capability(name: string, options: FilesOptions = {}): Capability {
  return createRegistry([], { files: { base, ...options } }).capability(name)!;
}

export async function read(args: object, options?: FilesOptions): Promise<ResultSet> {
  return (await carryOut(capability('records.file', options) as never, args as never)) as ResultSet;
}

export async function write(
  args: object,
  set: ResultSet | Result = SET,
  options?: FilesOptions,
  idempotencyKey?: string,
): Promise<unknown> {
  const input: Result = 'kind' in set ? set : { kind: 'set', set };
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  return carryOut(capability('records.write', options) as never, args as never, { inputs: { input }, ...key });
}

/** Past the check of the plan, as an argument that another step has given. */
export async function unchecked(name: string, args: object, options?: FilesOptions): Promise<unknown> {
  const one = capability(name, options);
  const given = { id: 'name', strict: false, replace: false, ...args };
  const inputs = [{ name: 'input', handle: { ref: '' }, read: () => Promise.resolve({ kind: 'set', set: SET }) }];
  return one.execute({
    ...{ goal: '', task: 't', signal: new AbortController().signal, idempotencyKey: 'k', heartbeat() {} },
    ...{ arguments: given, inputs: inputs as never },
  });
}

export const SET = createSet([
  { id: 'g1', location: { sequence: 'chr1', start: 10, stop: 20, strand: 1 } },
  { id: 'g2', location: { sequence: 'chr1', start: 30, stop: 40, strand: -1 } },
]);

/** A file beside the project. */
export function outside(): string {
  const full = join(top, 'outside.bed');
  writeFileSync(full, GENES);
  return full;
}
