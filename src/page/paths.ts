/** The addresses of the page. Ids of others stand in them escaped, so that each is one part of a path. */

export const runPath = (run: string, ...below: readonly string[]): string =>
  ['runs', run, ...below].map((part) => `/${partOf(part)}`).join('');
export const nodePath = (run: string, node: string): string => runPath(run, 'nodes', node);

/** A browser takes a part of dots alone for a step up, escaped or not: such an id has a mark before it. */
function partOf(part: string): string {
  const escaped = encodeURIComponent(part.toWellFormed());
  return /^~|^\.{1,2}$/.test(part) ? `~${escaped}` : escaped;
}

/** @param part as it came, its escapes read */
export function idOf(part: string): string {
  return part.startsWith('~') ? part.slice(1) : part;
}

/** What is read of a run: the result of a node, a value of external context, or, without either, its own result. */
export interface Part {
  readonly node?: string | undefined;
  readonly context?: string | undefined;
}

/** It as a page or as a file. */
export function resultPath(run: string, { node, context }: Part = {}, format?: string): string {
  const [name, part] = context === undefined ? ['node', node] : ['context', context];
  const query = part === undefined ? '' : `?${name}=${encodeURIComponent(part.toWellFormed())}`;
  return `${runPath(run, format === undefined ? 'result' : `result.${format}`)}${query}`;
}
