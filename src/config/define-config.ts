/** The configuration of a project: the capabilities for its tasks, and the store of its results. */

import type { Agent, Capability } from '../capabilities/index.ts';
import type { ApprovalRule, Budget, RunMode } from '../protocol/index.ts';
import type { LoopPolicy } from '../capabilities/index.ts';
import type { ModelClient } from '../models/index.ts';
import type { S3Place } from '../store/index.ts';
import type { ConfiguredValue, ModelSettings } from './model-settings.ts';

/** The configuration of a project, as `planwright.config.ts` exports it. Every field may be left out. */
export interface PlanwrightConfig {
  /** Default none: a plan then has the capabilities of every project. */
  readonly capabilities?: readonly Capability[];
  /**
   * The agents, which carry out tasks that no capability names; plans name them. Capabilities that they list belong to
   * the project.
   */
  readonly agents?: readonly Agent[];
  readonly tasks?: {
    /** The capability or the agent that carries out a task which names neither. */
    readonly default?: string;
  };
  /**
   * The model that the planner, agents and capabilities ask: a model of a server, or a client of your own. Keys are
   * never part of it: they come from the environment.
   */
  readonly model?: ModelSettings | ModelClient;
  readonly planner?: PlannerConfig;
  /**
   * How a goal is run whose run does not say it: by a whole plan, step by step, or as a model chooses. Default `plan-first`.
   */
  readonly mode?: RunMode;
  /** How the loops of goals decide (`mode: reactive`), made by `definePolicy`. Default: the model decides each step. */
  readonly policy?: LoopPolicy;
  /**
   * Whether the project has the capabilities by which a model works on drafts of a conversation, hands them off and
   * delegates plans (docs/drafts.md). Default: false.
   */
  readonly conversation?: boolean;
  /** The result store, one and the same for clients and workers. Default: the folder `.planwright/results` beside the config. */
  readonly results?: ConfiguredStore;
  readonly files?: {
    /**
     * The folders where plans may read and write files of records, relative to the config file; paths in plans begin
     * there as well. An empty list switches `records.file` and `records.write` off. Default: the folder of the config
     * file, for plans that name them; models are offered them where this is given.
     */
    readonly folders?: readonly string[];
  };
  /** Servers of MCP, by a name that plans know them by: their tools are capabilities, `mcp.NAME.TOOL`. Default: none. */
  readonly mcp?: { readonly [name: string]: ConfiguredMcpServer };
  /** The task queue of this project alone: workers of one queue are given each other's runs. Default `planwright`. */
  readonly taskQueue?: string;
  /**
   * The people who may speak to runs. With it every message of a person to a run must be signed; without it names are
   * taken down as they come, and shown as unverified.
   */
  readonly identity?: {
    /** At least one key, by the name that a token's header gives in `kid`. */
    readonly keys: { readonly [kid: string]: ConfiguredKey };
  };
  /**
   * Encrypts all that goes to the server and the result store, with AES-256-GCM (docs/encryption.md). Default: nothing is
   * encrypted.
   */
  readonly encryption?: {
    /** Keys by id, each as the variable of the environment that has its 32 bytes in base64. */
    readonly keys: { readonly [id: string]: { readonly env: string } };
    /** The id of the key that encrypts; the others decrypt. */
    readonly current: string;
  };
  /**
   * The most that each run of this project may spend, and what happens then. A run's own budget can only be tighter. Default: no
   * bound.
   */
  readonly budget?: Budget;
  readonly approval?: {
    /**
     * The rules of who must approve what in every run of this project, on top of those of the run itself; at least one.
     */
    readonly rules: readonly ApprovalRule[];
  };
}

/** A result store: a folder, a PostgreSQL database, or a bucket of S3 (docs/operations.md). */
export type ConfiguredStore =
  | {
      /** A folder, relative to the config file. */
      readonly dir?: string;
    }
  | {
      /**
       * The URL of a database, such as `postgres://app@db.example.org/planwright`. One with a password is named by its variable:
       * `{ env: 'DATABASE_URL' }`. Needs the package `pg`.
       */
      readonly postgres: ConfiguredValue;
    }
  | {
      /** A bucket. Needs the package `@aws-sdk/client-s3`, which finds the credentials: they are no part of a config. */
      readonly s3: S3Place;
    };

/** How a goal becomes a plan. */
export interface PlannerConfig {
  /** On top of `model`, or instead of it. */
  readonly model?: Partial<ModelSettings> | ModelClient;
  /** Texts instead of those that the planner is told, by what they are for. */
  readonly prompts?: { readonly [stage: string]: string | ((...given: never[]) => string) };
  /** The form in which a model writes a plan: a flat list of nodes, or XML (Calute). Default `nodes`. */
  readonly format?: 'nodes' | 'xml';
}

/** A server of MCP: a command that is started, or an address that is reached by streamable HTTP. */
export interface ConfiguredMcpServer {
  /** The program, without arguments; it is started in the folder of the config file. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Its environment, beside `PATH`, `HOME` and the like. A secret is named by its variable: `{ env: 'FILES_TOKEN' }`. */
  readonly env?: { readonly [name: string]: ConfiguredValue };
  /** In place of a command. */
  readonly url?: string;
  /** Headers of each request, at most 32. Secrets as in `env`. */
  readonly headers?: { readonly [name: string]: ConfiguredValue };
  /** Its tools that only read. Every other one is carried out at most once, whatever it says of itself. */
  readonly read?: readonly string[];
}

export interface ConfiguredKey {
  /**
   * An Ed25519 public key: its PEM text, the file it stands in, relative to the config file, or its JWK, as WebCrypto exports it.
   * Never a private key.
   */
  readonly publicKey: string | { readonly file: string } | PublicJwk;
  /** The one person the key speaks for. A key without it is an authority, whose word on who speaks is believed. */
  readonly subject?: string;
  /** The roles the key may name. Without it a key with a subject may name none, and an authority any. */
  readonly roles?: readonly string[];
  /**
   * The key is a person's: its private part is locked with a passphrase that is typed at a terminal, or cannot leave a browser. Rules
   * with `person: true` count what it signs. Only a key with a subject can be.
   */
  readonly person?: true;
}

/** An Ed25519 public key as a JSON Web Key (RFC 8037): what `crypto.subtle.exportKey('jwk', publicKey)` gives. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes, base64url. */
  readonly x: string;
  readonly [member: string]: unknown;
}

/**
 * Gives a config file its types.
 * @example export default defineConfig({ capabilities: [search], tasks: { default: 'search' } });
 */
export function defineConfig(config: PlanwrightConfig): PlanwrightConfig {
  return config;
}
