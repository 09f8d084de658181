import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One import, re-export or `import()` with a literal specifier. */
export interface Import {
  /** Path of the importing file from the project's root. */
  readonly file: string;
  readonly specifier: string;
  /** `type` leaves nothing behind when it is compiled. */
  readonly kind: 'value' | 'type';
  /** An `import()`: loaded when that line runs, not with the file. */
  readonly late?: true;
  /** Path of the imported file from the project's root, for a relative specifier. */
  readonly target?: string;
}

/** Paths from the project's root, with `/`, of every file below these folders. */
export function filesBelow(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => slashes(relative(ROOT, join(entry.parentPath, entry.name)))),
  );
}

export function codeBelow(...folders: readonly string[]): string[] {
  return filesBelow(...folders).filter((file) => /\.(ts|js|mjs)$/.test(file));
}

export function readSource(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The source without its comments; good enough for code that the formatter has written. */
export function readCode(file: string): string {
  return readSource(file)
    .replace(/^\s*\/\*[^]*?\*\/\s*$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '');
}

export function importsOf(file: string): Import[] {
  const code = readCode(file);
  const found: Import[] = [];
  const add = (specifier: string, kind: Import['kind'], late?: true) => {
    const target = specifier.startsWith('.') ? slashes(join(dirname(file), specifier)) : undefined;
    found.push({ file, specifier, kind, ...(late && { late }), ...(target !== undefined && { target }) });
  };
  for (const [, what = '', specifier = ''] of code.matchAll(
    /^(?:import|export)\s([^;'"]*?)\s*\bfrom\s+['"]([^'"]+)['"]/gm,
  )) {
    add(specifier, isTypeOnly(what) ? 'type' : 'value');
  }
  for (const [, specifier = ''] of code.matchAll(/^import\s+['"]([^'"]+)['"]/gm)) add(specifier, 'value');
  for (const [, before = '', specifier = ''] of code.matchAll(/(typeof\s+|:\s*|<)?\bimport\(\s*['"]([^'"]+)['"]/g)) {
    if (before === '') add(specifier, 'value', true);
    else add(specifier, 'type');
  }
  return found;
}

/** What stands between `import` and `from`: `type { a }`, `{ type a, type b }`. */
function isTypeOnly(what: string): boolean {
  if (what.startsWith('type ') || what.startsWith('type{')) return true;
  const names = /^\{([^]*)\}$/
    .exec(what)?.[1]
    ?.split(',')
    .map((name) => name.trim()) ?? [''];
  return names.every((name) => name === '' || name.startsWith('type ')) && names.some((name) => name !== '');
}

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}

interface Reached {
  readonly files: string[];
  readonly packages: string[];
}

/** Everything that these files import as values, and what those import. */
export function reachedFrom(...start: readonly string[]): Reached {
  return follow(start, ({ kind }) => kind === 'value');
}

/** Everything that is loaded with these files, before their first line runs. */
export function loadedWith(...start: readonly string[]): Reached {
  return follow(start, ({ kind, late }) => kind === 'value' && !late);
}

function follow(start: readonly string[], isFollowed: (one: Import) => boolean): Reached {
  const files = [...start];
  const packages = new Set<string>();
  for (const file of files) {
    for (const { specifier, target } of importsOf(file).filter(isFollowed)) {
      if (target === undefined) packages.add(specifier);
      else if (!files.includes(target)) files.push(target);
    }
  }
  const missing = files.filter((file) => !existsSync(join(ROOT, file)));
  if (missing.length > 0) throw new Error(`imported, and not there: ${missing.join(', ')}`);
  return { files, packages: [...packages] };
}

/**
 * The groups of these files that import each other, as values or as types (Tarjan's strongly connected components). An `import()`
 * counts too.
 */
export function importCircles(files: readonly string[]): string[][] {
  const targets = new Map(files.map((file) => [file, importsOf(file).flatMap(({ target }) => target ?? [])]));
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  /** The smallest position in `order` that a file still open can be reached at. */
  const visit = (file: string): number => {
    const position = order.size;
    let lowest = position;
    order.set(file, position);
    open.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, order.get(target)!);
    }
    if (lowest === position) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle);
    }
    return lowest;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return circles;
}
