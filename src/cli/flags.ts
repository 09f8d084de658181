/** The flags that several commands share, or that are read in another folder than their command's, in groups; and words for them. */

import { choice, count, duration, flag, text, textOrFlag, texts, type Values } from './options.ts';

/** The project that a command works for. */
export const PROJECT = {
  config: text('<file>', 'config of the project (default: planwright.config.* of this folder)'),
  demo: text('<name>', 'a demo instead of a config, such as gene-strategies'),
  store: text(
    '<store>',
    "result store: a folder, postgres://... or s3://... (default: the config's, else PLANWRIGHT_STORE, else .planwright/results)",
  ),
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
  comment: text('<comment>', 'why'),
  ...KEY,
};

export const TASK_QUEUE = text('<name>', "task queue of the workers (default: the config's, else planwright)");

/** The flags of a worker, here and in `dev`. */
export const WORKER = {
  ...PROJECT,
  taskQueue: TASK_QUEUE,
  concurrentNodes: count('nodes carried out at once (default 100)'),
  metrics: text('<address>', 'answer scrapes by Prometheus there: 9464 (this machine only), or 0.0.0.0:9464'),
  health: text('<address>', 'answer /livez and /readyz there, as 9465'),
  traces: flag('tell spans of plans, nodes and model calls to the OpenTelemetry SDK that the process has'),
  deployment: text('<name>', 'worker deployment, with --build: runs stay on the build that began their history'),
  build: text('<id>', 'the release of the deployment that this worker is'),
  force: flag('start although a worker with other capabilities polls the task queue, or has this build'),
};
export type WorkerFlags = Values<typeof WORKER>;

/** The flags of a server that is started. */
export const SERVER = {
  port: count('start a server on this port (default: use the one on 7233, else start one)', 0),
  uiPort: count('port of its Web UI (default 8233)', 0),
  headless: flag('without the Web UI'),
  serverOnly: flag('the server alone, for a program with a worker of its own; needs no config'),
  db: text('<file>', 'database file of the server (default: one in the cache folder)'),
};
export type ServerFlags = Values<typeof SERVER>;

/** The flags of a project that is begun. */
export const INIT = {
  model: textOrFlag('url', 'a project that plans: a model (of this server, default that of OpenAI) and an agent'),
  modelName: text('<name>', 'with --model: the model (default: a name to fill in)'),
  keyPair: flag('make an Ed25519 key for a person: the private part for you alone, the public one here'),
  person: flag(
    "with --key-pair: lock the private part with a passphrase that is typed, and mark the key as a person's",
  ),
  by: text('<name>', 'with --key-pair: whose key it is (default: your user name)'),
  role: texts('role', 'with --key-pair: the roles in which that person may speak'),
};
export type InitFlags = Values<typeof INIT>;

/** The flags of `run` and `rerun`. */
export const STARTING = {
  ...PROJECT,
  taskQueue: TASK_QUEUE,
  workflowId: text('<id>', 'id of the run (default: made from the goal)'),
  newRun: flag('with --workflow-id: start a run of its own where one of this id has closed'),
  detach: flag('do not wait'),
  dev: flag('start a server, where none runs, and a worker for this run, and stop them'),
  approve: flag('approve exactly this plan at once'),
  yes: flag('the same as --approve'),
  by: text('<name>', 'who starts and approves (default: your user name; with --demo: demo)'),
  role: text('<role>', 'in which role'),
  timeout: duration('wait no longer than this; the run goes on'),
  ...KEY,
};

/** The settings of the run itself, as `RunSettings` has them. */
export const SETTINGS = {
  approval: text(
    '<policy>',
    'required: every plan waits; effects: only what changes something; or a file { "rules": [...] }',
  ),
  approvalDeadline: duration('silence for so long is refusal (default 24h)'),
  answerDeadline: duration('how long a question waits that says nothing else (default 24h)'),
  maxRejections: count('the rejection that ends the run; those before wait for an edit (default 1)'),
  onFailure: choice(
    '<policy>',
    'fail; partial: end with what there is; ask: wait for a person; replan: the planner makes another plan (default fail)',
    ['fail', 'partial', 'ask', 'replan'],
  ),
  concurrency: count('nodes in flight at once (default 100)'),
  lane: choice(
    '<lane>',
    'visible: an activity for each node; parts: many reads in one (default auto: parts above 1,000)',
    ['auto', 'visible', 'parts'],
  ),
  budget: text('<json>', 'the most that it spends, such as {"tokens":50000,"onEnd":"stop"} (default no bound)'),
  reuse: text('<run>', 'take over what this closed run has finished, where the plan has the same'),
  fresh: flag('with --reuse: carry out again what only reads'),
  context: text('<file>', 'JSON object: external context that the steps of a list may name'),
};

/** The flags of a goal that is run. */
export const GOAL = {
  mode: choice(
    '<mode>',
    "of a goal: plan-first, reactive (step by step) or auto (default: the project's, else plan-first)",
    ['plan-first', 'reactive', 'auto'],
  ),
  maxRounds: count('steps that a reactive run may decide (default 100)'),
  conversation: text('<id>', 'whose history the planner is given, and in which plans and results are kept'),
};
export type SettingFlags = Partial<Values<typeof SETTINGS & typeof GOAL>>;
