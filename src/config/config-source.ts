/** The text of a first config file, for `planwright init`. */

/** What a config says of the key of a person. */
export interface PersonKey {
  readonly kid: string;
  readonly subject: string;
  readonly roles: readonly string[];
  /** Of the public key, relative to the config file. */
  readonly file: string;
}

/** A config that runs as it is. `identity` is a property of it, as `identitySource` writes it. */
export function configSource(taskQueue: string, identity?: string): string {
  const queue = `  // Where the runs of this project meet its workers: no other project on the Temporal server may have the same.
  taskQueue: ${quote(taskQueue)},`;
  const properties = identity === undefined ? queue : `${queue}\n${identity}`;
  return CONFIG.replace(/\}\);\n$/, () => `${properties}\n});\n`);
}

/** The property `identity` of a config, with this key alone. */
export function identitySource({ kid, subject, roles, file }: PersonKey): string {
  const allowed = roles.length === 0 ? '' : `, roles: [${roles.map(quote).join(', ')}]`;
  return `  // Whatever is said to a run must be signed with one of these keys. Workers hold public keys only.
  identity: {
    keys: {
      ${/^[A-Za-z_]\w*$/.test(kid) ? kid : quote(kid)}: { publicKey: { file: ${quote(file)} }, subject: ${quote(subject)}${allowed} },
    },
  },`;
}

const IMPORTS: readonly (readonly [name: string, from: string])[] = [
  ['defineConfig', 'planwright'],
  ['defineCapability', 'planwright/capabilities'],
  ['z', 'zod'],
];

const CONFIG = `${IMPORTS.map(([name, from]) => `import { ${name} } from '${from}';`).join('\n')}

/** What a task can do. Make it do what yours do, and write more of them beside it. */
const countWords = defineCapability({
  name: 'count-words',
  // Planners and people choose by this sentence.
  description: 'How many words a text has: its argument, else the text of the task.',
  // What a plan may give as arguments; a plan that does not fit is refused before it runs.
  input: z.object({ text: z.string().optional() }),
  // 'value' is any JSON; there are 'set' and 'text' too.
  output: 'value',
  // 'read' changes nothing. What may be repeated is 'idempotent'; what must not is 'at-most-once'.
  effect: 'read',
  execute: ({ task, arguments: { text = task } }) => text.split(/\\s+/).filter((word) => word !== '').length,
});

export default defineConfig({
  capabilities: [countWords],
  // Carries out a task that names no capability.
  tasks: { default: 'count-words' },
});
`;

function quote(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}
