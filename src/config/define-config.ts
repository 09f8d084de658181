/** The configuration of a project: what its tasks can do, and where its results live. */

import type { Capability } from '../capabilities/index.ts';
import type { ApprovalRule } from '../contract/index.ts';

export interface PlanwrightConfig {
  readonly capabilities: readonly Capability[];
  readonly tasks?: {
    /** The capability that carries out a task which names neither a capability nor an agent. */
    readonly default?: string;
  };
  readonly results?: {
    /** Folder of the result store, relative to the config file. Default `.planwright/results` beside it. */
    readonly dir?: string;
  };
  /** Of this project alone: workers of one queue are given each other's runs. Default `planwright`. */
  readonly taskQueue?: string;
  /**
   * Who may speak to runs. With it whatever a person says to a run must be signed; without it names are taken down as
   * they come, and shown as unverified.
   */
  readonly identity?: {
    /** At least one key, by the name that a token's header gives in `kid`. */
    readonly keys: { readonly [kid: string]: ConfiguredKey };
  };
  readonly approval?: {
    /** Who must approve what in every run of this project, on top of what the run itself asks for; at least one. */
    readonly rules: readonly ApprovalRule[];
  };
}

export interface ConfiguredKey {
  /** An Ed25519 public key: its PEM text, or the file it stands in, relative to the config file. Never a private key. */
  readonly publicKey: string | { readonly file: string };
  /** The one person the key speaks for. A key without it is an authority, whose word on who speaks is believed. */
  readonly subject?: string;
  /** The roles the key may name. Without it a key with a subject may name none, and an authority any. */
  readonly roles?: readonly string[];
}

/**
 * Gives a config file its types.
 * @example export default defineConfig({ capabilities: [search], tasks: { default: 'search' } });
 */
export function defineConfig(config: PlanwrightConfig): PlanwrightConfig {
  return config;
}
