import type { z } from 'zod';
import {
  choiceField,
  countField,
  type InputField,
  flagField,
  namesField,
  type PlaceFlag,
  textField,
  type Z,
} from '../operations/index.ts';
import { LANES, ON_FAILURE } from '../protocol/index.ts';
import type { GlobalOptions } from './global-flags.ts';
import { dashed, type TypedDuration } from './options.ts';

type FlagsOf<Group extends (zod: Z) => z.ZodRawShape> = z.output<z.ZodObject<ReturnType<Group>>>;

const place = (name: string, description: string, from?: InputField['from'], short?: string): InputField => ({
  ...{ name, description, from, type: 'string', isRequired: false },
  ...(short !== undefined && { short }),
});

export const PLACE: Readonly<Record<PlaceFlag, InputField>> = {
  config: place('config', 'config of the project (default: planwright.config.* of this folder)', 'file'),
  demo: place('demo', 'a demo instead of a config, such as gene-strategies'),
  store: place(
    'store',
    "result store: a folder, postgres://... or s3://... (default: the config's, else PLANWRIGHT_STORE, else .planwright/results)",
  ),
  taskQueue: place('taskQueue', "task queue of the workers (default: the config's, else planwright)", undefined, '-q'),
  key: place('key', 'sign with this Ed25519 private key, PEM (default: the file that PLANWRIGHT_KEY names)', 'file'),
  kid: place('kid', 'name of the key in the configuration of the project'),
  timeout: place('timeout', 'wait at most this long, such as 90s or 10m', 'duration'),
};

export const SHARED = 'shared';

/** The options that many commands share. `help options` describes them; the help of a command only names them. */
export const COMMON: Readonly<Record<string, readonly InputField[]>> = {
  Project: [PLACE.config, PLACE.demo, PLACE.store, PLACE.taskQueue],
  Sender: [
    place('by', 'who sends it', 'person'),
    place('role', 'in which role'),
    place('comment', 'why'),
    PLACE.key,
    PLACE.kid,
  ],
  Wait: [PLACE.timeout],
};

/** Whether `help options` describes the field. True for fields about the sender, if messages can be signed. */
export function isCommon({ name, isRequired }: InputField, flags: readonly PlaceFlag[]): boolean {
  return flags.includes('key') && COMMON['Sender']!.some((one) => one.name === name) && !(isRequired && name !== 'by');
}

export function commonText(fields: readonly InputField[], flags: readonly PlaceFlag[]): readonly string[] {
  const names = new Set<string>([
    ...fields.filter((field) => isCommon(field, flags)).map(({ name }) => name),
    ...flags,
  ]);
  return Object.entries(COMMON).flatMap(([group, options]) => {
    const listed = options.filter(({ name }) => names.has(name)).map(({ name }) => `--${dashed(name)}`);
    return listed.length === 0 ? [] : [`${group}: ${listed.join(', ')}`];
  });
}
export type PlaceTyped = { readonly [Name in Exclude<PlaceFlag, 'timeout'>]?: string | undefined } & {
  readonly timeout?: TypedDuration | undefined;
};

export const WORKER = (z: Z) => ({
  concurrentNodes: countField(z, 'nodes carried out at once (default 100)'),
  metrics: textField(z, 'answer scrapes by Prometheus there: 9464 (this machine only), or 0.0.0.0:9464'),
  health: textField(z, 'answer /livez and /readyz there, as 9465'),
  traces: flagField(z, 'tell spans of plans, nodes and model calls to the OpenTelemetry SDK that the process has'),
  deployment: textField(z, 'worker deployment, with --build: runs stay on the build that began their history'),
  build: textField(z, 'the release of the deployment that this worker is'),
  force: flagField(z, 'start although a worker with other capabilities polls the task queue, or has this build'),
});
export type WorkerFlags = FlagsOf<typeof WORKER> & PlaceTyped;

export const SERVER = (z: Z) => ({
  port: countField(z, 'start a server on this port (default: use the one on 7233, else start one)', 0),
  uiPort: countField(z, 'port of its Web UI (default 8233)', 0),
  headless: flagField(z, 'without the Web UI'),
  serverOnly: flagField(z, 'the server alone, for a program with a worker of its own; needs no config'),
  db: textField(z, 'database file of the server (default: one in the cache folder)'),
});
export type ServerFlags = FlagsOf<typeof SERVER>;

export const INIT = (z: Z) => ({
  model: z
    .union([z.literal(true), z.string()])
    .optional()
    .describe('a project that plans: a model (of this server, default that of OpenAI) and an agent'),
  modelName: textField(z, 'with --model: the model (default: a name to fill in)'),
  keyPair: flagField(z, 'make an Ed25519 key for a person: the private part for you alone, the public one here'),
  person: z
    .literal(true)
    .optional()
    .describe("with --key-pair: lock the private part with a passphrase that is typed, and mark the key as a person's"),
  by: textField(z, 'with --key-pair: whose key it is (default: your user name)'),
  role: namesField(z, 'with --key-pair: the roles in which that person may speak'),
  skill: textField(z, 'a folder of skills of a coding agent, such as .claude/skills: it gets planwright/SKILL.md'),
});
export type InitFlags = FlagsOf<typeof INIT>;

export const STARTING = (z: Z) => ({
  workflowId: textField(z, 'id of the run (default: made from the goal)').meta({ short: '-w' }),
  newRun: flagField(z, 'with --workflow-id: start a run of its own where one of this id has closed'),
  detach: flagField(z, 'do not wait'),
  dev: flagField(z, 'start a server, where none runs, and a worker for this run, and stop them'),
  approve: flagField(z, 'approve exactly this plan at once'),
  yes: flagField(z, 'the same as --approve'),
  by: textField(z, 'who starts and approves (default: your user name; with --demo: demo)'),
  role: textField(z, 'in which role'),
  fresh: flagField(z, 'of what is taken over: carry out again what only reads'),
});

const limit = (z: Z) => z.custom<number>().optional();

export const SETTINGS = (z: Z) => ({
  approval: z
    .unknown()
    .optional()
    .describe('required: every plan waits; effects: only what changes something; or a file { "rules": [...] }'),
  approvalDeadline: limit(z).describe('silence for so long is refusal (default 24h)'),
  answerDeadline: limit(z).describe('how long a question waits that says nothing else (default 24h)'),
  maxRejections: countField(z, 'the rejection that ends the run; those before wait for an edit (default 1)'),
  onFailure: choiceField(
    z,
    ON_FAILURE,
    'fail; partial: end with what there is; ask: wait for a person; replan: the planner makes another plan (default fail)',
  ),
  concurrency: countField(z, 'nodes in flight at once (default 100)'),
  lane: choiceField(
    z,
    LANES,
    'visible: an activity for each node; parts: many reads in one (default auto: parts above 1,000)',
  ),
  budget: z
    .unknown()
    .optional()
    .describe('the most that it spends, such as {"tokens":50000,"onEnd":"stop"} (default no bound)'),
  reuse: textField(z, 'take over what this closed run has finished, where the plan has the same'),
  context: z.unknown().optional().describe('JSON object: external context that the steps of a list may name'),
  mode: choiceField(
    z,
    ['plan-first', 'reactive', 'auto'],
    "of a goal: plan-first, reactive (step by step) or auto (default: the project's, else plan-first)",
  ),
  maxRounds: countField(z, 'steps that a reactive run may decide (default 100)'),
  conversation: textField(z, 'whose history the planner is given, and in which plans and results are kept'),
});
export type RunFlags = FlagsOf<typeof STARTING> & Partial<FlagsOf<typeof SETTINGS>> & PlaceTyped;

export interface RunTyped extends GlobalOptions, RunFlags {
  /** Exactly one of the members `document`, `goal` and `run` is set. */
  readonly document?: unknown;
  readonly goal?: string | undefined;
  readonly run?: string | undefined;
}
