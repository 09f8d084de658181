/** Declarations that several commands share: options in groups, and words. */

import { choice, text } from '../options.ts';

/** The document that most commands about plans take. */
export const PLAN_FILE = { file: 'plan document, or - for standard input' };

/** The project that a command works for. */
export const PROJECT = {
  config: text('<file>', 'config of the project (default: planwright.config.* of this folder)'),
  demo: text('<name>', 'a demo instead of a config, such as gene-strategies'),
  store: text('<dir>', "result store (default: the config's, else PLANWRIGHT_STORE, else .planwright/results)"),
};

/** A file to sign with. */
export const KEY = {
  key: text('<file>', 'sign with this Ed25519 private key, PEM (default: the file that PLANWRIGHT_KEY names)'),
  kid: text('<name>', 'name of the key in the configuration of the project'),
};

/** The person who speaks to a run, and the proof. */
export const SPEAKER = {
  by: text('<name>', 'who says it (default: your user name)'),
  role: text('<role>', 'in which role'),
  comment: text('<text>', 'why'),
  ...KEY,
};

export const TASK_QUEUE = text('<name>', "task queue of the workers (default: the config's, else planwright)");

/** The text forms of a set. */
export const FILE_SHAPE = choice('<format>', 'print the set as bed, gff3 or tsv; default: one id a line', [
  'bed',
  'gff3',
  'tsv',
]);

/** `a, b or c`. */
export function eitherOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
