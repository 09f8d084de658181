import { z } from 'zod';
import { verifySettings } from '../capabilities/builtin/mcp/verify-tool.ts';
import type { Agent, Capability, LoopPolicy } from '../capabilities/index.ts';
import { isAddress } from '../models/index.ts';
import { isKeyId } from '../protocol/encryption/index.ts';
import { RUN_MODES, type ApprovalRule, type Budget } from '../protocol/index.ts';
import { notifySchema } from './notify/schema.ts';
import { identitySchema } from './identity-schema.ts';
import { headers, modelSchema, plannerSchema } from './model-schema.ts';
import { refuseSecrets, strict, variable, variableName } from './secrets.ts';

/** The error for an invalid address. The address may contain a secret, so the error does not quote it. */
const A_URL =
  "expected postgres://user@host/database without a password, or { env: 'NAME' } that names the variable which has it";
const A_BUCKET = 'expected the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens';
const AN_ENDPOINT = 'expected http(s)://host[:port]';
const CREDENTIALS =
  'credentials do not belong into a config, which is committed and shown: the AWS SDK finds them in the environment ' +
  '(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), a profile or a role; take them out here, and make new ones if this file was ever committed';

/** A result store: a folder, a PostgreSQL database, or a bucket of S3 (docs/operations.md). */
const store = strict({
  /** A folder, relative to the config file. */
  dir: z.string().min(1).optional(),
  /**
   * The URL of a database, such as `postgres://app@db.example.org/planwright`. Name a URL with a password by its
   * variable: `{ env: 'DATABASE_URL' }`. Needs the package `pg`.
   */
  postgres: z.union([z.string().refine(isBare, A_URL), variable(A_URL)], A_URL).optional(),
  /** A bucket. Needs the package `@aws-sdk/client-s3`, which finds the credentials (docs/operations.md#in-a-bucket). */
  s3: strict(
    {
      /** The name of the bucket. */
      bucket: z.string(A_BUCKET).regex(/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/, A_BUCKET),
      /** The prefix of all object keys of this project. */
      prefix: z.string().optional(),
      /** Default: as the AWS SDK finds it. */
      region: z.string().min(1).optional(),
      /** The address of an S3-compatible service other than AWS. */
      endpoint: z.url({ protocol: /^https?$/, error: AN_ENDPOINT }).optional(),
      /** Whether the path of the address begins with the bucket, as many S3-like services require. */
      pathStyle: z.boolean().optional(),
    },
    CREDENTIALS,
  ).optional(),
}).superRefine((stores, context) => {
  // Several stores are rejected, since it would be unclear which has a result.
  const named = Object.entries(stores).flatMap(([name, one]) => (one === undefined ? [] : [name]));
  if (named.length > 1) context.addIssue({ code: 'custom', message: `expected one store, got ${named.join(' and ')}` });
});

const SERVER_NAME = /^[A-Za-z][\w-]{0,29}$/;
const A_SERVER = 'expected the name of a server: a letter, and letters, digits, "_" and "-", at most 30';
const ADDRESS = 'expected http(s)://host/path without user, password or query, which would be shown with the config';
const EITHER = 'expected a command or a url, one of the two; args and env belong to a command, headers to a url';
const A_VALUE = "expected a text, or { env: 'NAME' }";
const AN_ENV = 'expected an object of texts by the names of variables: letters, digits and "_", no digit first';
const MAX_VARIABLES = 64;
const MAX_SERVERS = 32;

/** An MCP server: a command that is started, or an address that is reached by streamable HTTP. */
const mcpServer = strict({
  /** The program, without arguments; it is started in the folder of the config file. */
  command: z.string().min(1, 'expected a program').optional(),
  /** The arguments of the program. */
  args: z.array(z.string()).readonly().optional(),
  /** Environment variables, besides `PATH`, `HOME` and the like. A secret is `{ env: 'FILES_TOKEN' }`. */
  env: z
    .record(variableName(AN_ENV), z.union([z.string().regex(/^[^\0]*$/, A_VALUE), variable(A_VALUE)], A_VALUE), AN_ENV)
    .refine((env) => Object.keys(env).length <= MAX_VARIABLES, {
      error: ({ input }) => `has ${Object.keys(input as object).length}; expected at most ${MAX_VARIABLES}`,
    })
    .superRefine(refuseSecrets)
    .readonly()
    .optional(),
  /** The server's address, instead of a command. */
  url: z.string(ADDRESS).refine(isAddress, ADDRESS).optional(),
  /** Headers of each request, at most 32. Secrets as in `env`. */
  headers,
  /** The names of its tools that only read. Every other tool runs at most once, whatever the server says about it. */
  read: z.array(z.string().min(1)).readonly().optional(),
  /** By the name of another tool: how to verify that its effect happened (docs/mcp.md#whether-an-effect-happened). */
  verify: z.record(z.string(), verifySettings).readonly().optional(),
  /** Whether strangers may have written what its tools return (docs/approval.md#where-a-value-comes-from). Default: true. */
  untrusted: z.boolean().optional(),
})
  .refine(({ command, args, env, url, headers: own }) => {
    const isOne = (command === undefined) !== (url === undefined);
    return isOne && (command === undefined ? (args ?? env) === undefined : own === undefined);
  }, EITHER)
  .readonly();

const NOT_HERE =
  "expected the variable of the environment that has the key: { env: 'PLANWRIGHT_KEY_1' }. A key does not belong into a config, " +
  'which is committed and shown; make a new one if this file was ever committed';
const NO_ID = 'an id is 1 to 64 letters, digits, dots, hyphens and underscores';

const encryption = strict({
  /** The encryption keys by id, each named by the environment variable that has its 32 bytes in base64. */
  keys: z
    .record(z.string(), variable(NOT_HERE))
    .refine((all) => Object.keys(all).every(isKeyId), NO_ID)
    .readonly(),
  /** The id of the key that encrypts; the others decrypt. */
  current: z.string(),
})
  .refine(({ keys, current }) => Object.hasOwn(keys, current), {
    path: ['current'],
    error: 'expected the id of one of the keys: it encrypts',
  })
  .readonly();

function made<Thing>(by: string, ...members: readonly string[]) {
  const isMade = (value: unknown) =>
    typeof value === 'object' && value !== null && members.every((one) => one in value);
  return z.custom<Thing>(isMade, `expected ${by}`);
}

const keys = {
  /** The capabilities for tasks (docs/capabilities.md). Default: those that every project has. */
  capabilities: z
    .array(made<Capability>('a capability made by defineCapability', 'execute', 'name', 'input'))
    .readonly()
    .optional(),
  /**
   * The agents, for tasks that name no capability (docs/capabilities.md#agents). The project has their capabilities
   * too.
   */
  agents: z.array(z.custom<Agent>(isAgent, 'expected an agent made by defineAgent')).readonly().optional(),
  tasks: strict({
    /** The capability or the agent for tasks that name neither. */
    default: z.string().optional(),
  })
    .readonly()
    .optional(),
  /**
   * The model of planner, agents and capabilities: one of a server, or your own client. Its key comes from the
   * environment (docs/configuration.md#the-model).
   */
  model: modelSchema.optional(),
  /** How a goal becomes a plan (docs/planning.md). */
  planner: plannerSchema.readonly().optional(),
  /**
   * How goals are run by default: `plan-first`, `reactive` (step by step) or `auto` (a model chooses). A run's own
   * option takes precedence; `auto` rejects an `approval` of the run (docs/runs.md#input). Default `plan-first`.
   */
  mode: z.enum(RUN_MODES, `expected one of ${RUN_MODES.join(', ')}`).optional(),
  /** How the loops of goals decide (`mode: reactive`), made by `definePolicy` (docs/policies.md). Default: the model decides. */
  policy: made<LoopPolicy>('a policy made by definePolicy', 'stages', 'actions', 'observers').optional(),
  /** Whether models may work on drafts, hand them off and delegate plans (docs/drafts.md). Default: false. */
  conversation: z.boolean().optional(),
  /** The result store. Default: `PLANWRIGHT_STORE`, or `.planwright/results` beside the config. */
  results: store.readonly().optional(),
  files: strict({
    /**
     * Folders in which plans may read and write files of records (docs/files.md), relative to the config; paths in
     * plans begin there. An empty list switches `records.file` and `records.write` off. Default: the folder of the
     * config, for plans that name them; models are offered them only if this is set.
     */
    folders: z.array(z.string().min(1)).readonly().optional(),
    /** Whether strangers may have written files outside the folder of the config. Default: true. */
    untrusted: z.boolean().optional(),
  })
    .readonly()
    .optional(),
  /** MCP servers by name: their tools are capabilities, `mcp.NAME.TOOL` (docs/mcp.md#tools-as-capabilities). */
  mcp: z
    .record(z.string().regex(SERVER_NAME), mcpServer, A_SERVER)
    .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `expected at most ${MAX_SERVERS} servers`)
    .readonly()
    .optional(),
  /** Who is notified when a run waits for a person, fails or has no worker (docs/notifications.md). Default: nobody. */
  notify: notifySchema.optional(),
  /** The task queue of only this project, since workers on one queue get each other's runs. Default `planwright`. */
  taskQueue: z.string().min(1).max(200).optional(),
  /** Encrypts all data for the server and the result store with AES-256-GCM (docs/encryption.md). Default: none. */
  encryption: encryption.optional(),
  /** What each run may spend (docs/runs.md#budgets). A run's own budget can only be lower. Default: no limit. */
  budget: z.custom<Budget>().optional(),
  receipts: strict({
    /** The file of the workers' Ed25519 private key, relative to the config file (docs/receipts.md). */
    key: z.string().min(1),
  })
    .readonly()
    .optional(),
  approval: strict({
    /** Who must approve what (docs/approval.md#rules), in every run, in addition to the rules of the run. */
    rules: z.array(z.custom<ApprovalRule>()).readonly(),
  })
    .readonly()
    .optional(),
};

/** The schema of a config. @param folder the config's folder, from which key files are read */
export function configSchema(folder: string) {
  return strict({ ...keys, identity: identitySchema(folder).optional() });
}

/** The configuration of a project, as `planwright.config.ts` exports it. docs/config-keys.md has every key. */
export interface PlanwrightConfig extends Readonly<z.input<z.ZodObject<typeof keys>>> {
  /**
   * The people who may send messages to runs (docs/identity.md). With it, every message of a person must be signed.
   * Without it, names are recorded as sent, and displayed as unverified.
   */
  readonly identity?: z.input<ReturnType<typeof identitySchema>>;
}

export type ConfiguredStore = NonNullable<PlanwrightConfig['results']>;
export type ConfiguredMcp = NonNullable<PlanwrightConfig['mcp']>;
export type Encryption = NonNullable<PlanwrightConfig['encryption']>;

/**
 * Gives a config file its types.
 * @example export default defineConfig({ capabilities: [search], tasks: { default: 'search' } });
 */
export function defineConfig(config: PlanwrightConfig): PlanwrightConfig {
  return config;
}

function isAgent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, instructions, capabilities, limits } = value as Partial<Agent>;
  const isNamed = typeof name === 'string' && typeof instructions === 'string';
  return isNamed && Array.isArray(capabilities) && typeof limits?.attemptMs === 'number';
}

function isBare(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { password, searchParams } = new URL(value);
  return /^postgres(?:ql)?:\/\//.test(value) && password === '' && !searchParams.has('password');
}
