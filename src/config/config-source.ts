/** The text of a first config file, for `planwright init`. */

/** The entry of a config for the key of a person. */
export interface PersonKey {
  readonly kid: string;
  readonly subject: string;
  readonly roles: readonly string[];
  /** Locked with a passphrase. */
  readonly person?: true;
  /** The file of the public key, relative to the config file. */
  readonly file: string;
}

/** The model of a first config that plans; a name that is not said is left to fill in. */
export interface FirstModel {
  readonly name?: string;
  readonly baseURL?: string;
}

/**
 * A config that runs as it is; one with a model that has no name yet plans once that is filled in. `identity` is a property of
 * it, as `identitySource` writes it.
 */
export function configSource(taskQueue: string, identity?: string, model?: FirstModel): string {
  const queue = `  // Where the runs of this project meet its workers: no other project on the Temporal server may have the same.
  taskQueue: ${quote(taskQueue)},`;
  const properties = identity === undefined ? queue : `${queue}\n${identity}`;
  const config = model === undefined ? CONFIG : withModel(model);
  return config.replace(/\}\);\n$/, () => `${properties}\n});\n`);
}

/** The same with an agent, which carries out what no capability names, and a model that plans and that the agent decides with. */
function withModel({ name = PLACEHOLDER, baseURL }: FirstModel): string {
  const server =
    baseURL === undefined
      ? "    // OpenAI's own server. Any other that speaks its protocol: baseURL: 'http://127.0.0.1:8080/v1'."
      : `    baseURL: ${quote(baseURL)},`;
  return CONFIG.replace(
    "import { defineConfig } from 'planwright';",
    "import { defineAgent, defineConfig } from 'planwright';",
  )
    .replace('export default defineConfig', () => `${AGENT}\nexport default defineConfig`)
    .replace("  // Carries out a task that names no capability.\n  tasks: { default: 'count-words' },\n", () =>
      [
        '  agents: [assistant],',
        '  // Carries out a task that names no capability.',
        "  tasks: { default: 'assistant' },",
        '  // What plans, and what agents decide with. Its key comes from the environment: OPENAI_API_KEY for OpenAI itself,',
        '  // PLANWRIGHT_MODEL_KEY for whatever server stands here. Never write a key into this file.',
        '  model: {',
        ...(name === PLACEHOLDER ? ['    // Write the name of your model here.'] : []),
        `    name: ${quote(name)},`,
        server,
        '  },',
        '',
      ].join('\n'),
    );
}

const PLACEHOLDER = 'your-model';

const AGENT = `/** Carries out what no capability names: its model decides one step after the other, with these tools. */
const assistant = defineAgent({
  name: 'assistant',
  description: 'Carries out tasks about texts.',
  instructions: 'Use your tools before you answer, and say what you have found.',
  capabilities: [countWords],
});
`;

/** The property `identity` of a config, with this key alone. */
export function identitySource({ kid, subject, roles, file, person }: PersonKey): string {
  const inRoles = roles.length === 0 ? '' : `, roles: [${roles.map(quote).join(', ')}]`;
  const allowed = `${inRoles}${person === true ? ', person: true' : ''}`;
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
