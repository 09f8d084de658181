/** What stands in docs/files.md, for the tests that do it. */

import { blocksOf, textsOf } from './pages.ts';

export interface FilesPage {
  /** By their names. */
  readonly files: Readonly<Record<string, string>>;
  /** YAML. */
  readonly plan: string;
}

export function filesPage(): FilesPage {
  const files = blocksOf('docs/files.md').filter(({ language, title }) => language !== 'sh' && title !== '');
  const [plan = ''] = textsOf('docs/files.md', 'yaml');
  return { files: Object.fromEntries(files.map(({ title, text }) => [title, text])), plan };
}
