import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { quoteForShell } from '../plan/text/index.ts';
import type { GlobalOptions } from './global-flags.ts';
import { dashed } from './options.ts';

export interface ShellPlace {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The command as it works in this shell: `temporal plan ...` below the Temporal CLI, `planwright ...` if that is on the
 * PATH, otherwise `npx planwright ...`. npm and npx change the PATH, so below them it is always `npx`.
 * @param command without the program's name
 * @example asTyped('status plan-1') // 'npx planwright status plan-1'
 */
export function asTyped(command: string, typing?: ShellPlace): string {
  return `${programHere(typing)} ${command}`;
}

function programHere({ program, env }: ShellPlace = { program: process.argv[1] ?? '', env: process.env }): string {
  if (/^temporal-plan(\.|$)/.test(basename(program))) return 'temporal plan';
  if (env['npm_command'] !== undefined) return 'npx planwright';
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const isFound = folders.some((folder) => NAMES.some((name) => existsSync(join(folder, name))));
  return isFound ? 'planwright' : 'npx planwright';
}

const NAMES = ['planwright', 'planwright.cmd'] as const;

/** The typed connection flags, for printed commands: `''` or ` --address ...`. */
export function connectionFlags({ address, namespace }: Pick<GlobalOptions, 'address' | 'namespace'>): string {
  return `${address === undefined ? '' : ` --address ${address}`}${namespace === undefined ? '' : ` --namespace ${namespace}`}`;
}

/**
 * The typed options as text, for printed commands.
 * @example typedAgain({ allSeen: 3, nodes: ['a', 'b'] }, ['allSeen', 'nodes']) // ' --all-seen 3 --nodes a,b'
 */
export function typedAgain(typed: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  const words = names.flatMap((name) => {
    const value = typed[name];
    if (value === undefined || value === false) return [];
    const flag = ` --${dashed(name)}`;
    return value === true ? [flag] : [`${flag} ${quoteForShell([value].flat().map(String).join(','))}`];
  });
  return words.join('');
}
