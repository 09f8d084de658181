export interface PersonKey {
  readonly kid: string;
  readonly subject: string;
  readonly roles: readonly string[];
  /** Set if a passphrase locks the private key. */
  readonly person?: true;
  /** The file of the public key, relative to the config. */
  readonly file: string;
}

/** The planner's model in a first config. Without a name, the person must add one. */
export interface FirstModel {
  readonly name?: string;
  readonly baseURL?: string;
}

/**
 * The source of a first config, which runs unchanged. Planning needs a name for the model.
 * @param identity source of the property `identity`, made by `identitySource`
 */
export function configSource(taskQueue: string, identity?: string, model?: FirstModel): string {
  const agents = model === undefined ? '' : 'defineAgent, ';
  return `import { ${agents}defineConfig } from 'planwright';
import { defineCapability } from 'planwright/capabilities';
import { z } from 'zod';

${CAPABILITY}
${model === undefined ? '' : `${AGENT}\n`}export default defineConfig({
  capabilities: [countWords],
${model === undefined ? BY_CAPABILITY : byAgent(model)}
  // Where the runs of this project meet its workers: no other project on the Temporal server may have the same.
  taskQueue: ${quote(taskQueue)},
${identity === undefined ? '' : `${identity}\n`}});
`;
}

const CAPABILITY = `/** What a task can do. Make it do what yours do, and write more of them beside it. */
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
`;

const BY_CAPABILITY = `  // Carries out a task that names no capability.
  tasks: { default: 'count-words' },`;

const AGENT = `/** Carries out what no capability names: its model decides one step after the other, with these tools. */
const assistant = defineAgent({
  name: 'assistant',
  description: 'Carries out tasks about texts.',
  instructions: 'Use your tools before you answer, and say what you have found.',
  capabilities: [countWords],
});
`;

/** Source of the properties that declare an agent for tasks, and the model of the planner and the agent. */
function byAgent({ name, baseURL }: FirstModel): string {
  const hint = name === undefined ? '    // Write the name of your model here.\n' : '';
  const server =
    baseURL === undefined
      ? "// OpenAI's own server. Any other that speaks its protocol: baseURL: 'http://127.0.0.1:8080/v1'."
      : `baseURL: ${quote(baseURL)},`;
  return `  agents: [assistant],
  // Carries out a task that names no capability.
  tasks: { default: 'assistant' },
  // The model of the planner and of agents. Set its API key in the environment, never here: OPENAI_API_KEY for OpenAI's
  // own server, PLANWRIGHT_MODEL_KEY for any other.
  model: {
${hint}    name: ${quote(name ?? 'your-model')},
    ${server}
  },`;
}

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

function quote(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}
