/** Addresses of the page. Foreign ids are escaped, so that each is one path segment. */

export const runPath = (run: string, ...below: readonly string[]): string =>
  ['runs', run, ...below].map((part) => `/${partOf(part)}`).join('');
export const nodePath = (run: string, node: string): string => runPath(run, 'nodes', node);

/** Adds a prefix to an id of dots, since browsers resolve such a path segment even if it is escaped. */
function partOf(part: string): string {
  const escaped = encodeURIComponent(part.toWellFormed());
  return /^~|^\.{1,2}$/.test(part) ? `~${escaped}` : escaped;
}

/** @param part an unescaped segment */
export function idOf(part: string): string {
  return part.startsWith('~') ? part.slice(1) : part;
}

/** What has a result in a run: a node, a value of its context, or the run itself. */
export interface ResultPart {
  readonly node?: string | undefined;
  readonly context?: string | undefined;
}

export function resultPath(run: string, { node, context }: ResultPart = {}, format?: string): string {
  const [name, part] = context === undefined ? ['node', node] : ['context', context];
  const query = part === undefined ? '' : `?${name}=${encodeURIComponent(part.toWellFormed())}`;
  return `${runPath(run, format === undefined ? 'result' : `result.${format}`)}${query}`;
}
