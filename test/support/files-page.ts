/** What stands in docs/files.md, for the tests that do it. */

import { readFileSync } from 'node:fs';

export interface FilesPage {
  /** By their names. */
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly { readonly command: string; readonly printed: string }[];
  /** YAML. */
  readonly plan: string;
}

export function filesPage(): FilesPage {
  const text = readFileSync(new URL('../../docs/files.md', import.meta.url), 'utf8');
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, first = '', second = '']) => [first, second]);
  return {
    files: Object.fromEntries(all(/^`(\S+)`:\n\n```\w+\n(.*?)^```$/gms)) as Record<string, string>,
    commands: all(/^```sh\n(.*?)\n```\n\n```text\n(.*?)^```$/gms).map(([command = '', printed = '']) => ({
      command,
      printed,
    })),
    plan: all(/^```yaml\n(.*?)^```$/gms)[0]?.[0] ?? '',
  };
}
