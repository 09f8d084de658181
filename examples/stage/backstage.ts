/**
 * The parts that the command `planwright demo` hands to a story, since no door of the package has them: a terminal, a server to
 * play on, and how plans are drawn. Everything else a story imports from `planwright`, as any program does.
 */

import type { CompiledPlan, Feedback } from 'planwright';
import type { Client } from '@temporalio/client';
import type { CapabilityRegistry } from 'planwright/capabilities';
import type { NodeStatus, PlanClient, RunHandle } from 'planwright/client';
import type { Store } from 'planwright/results';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** The output of the command: data on stdout, everything else on stderr. */
export interface Output {
  readonly format: 'text' | 'json' | 'jsonl' | 'none';
  /** Columns that a line of data may fill: no limit without a terminal. */
  readonly lineColumns: number;
  print(record: unknown, text: () => string, lines?: () => Iterable<unknown>): void;
  paint(style: Style, text: string): string;
}

/** Prints lines on stderr. */
export interface Screen {
  /** Columns that a line may fill. */
  readonly width: number;
  paint(style: Style, text: string): string;
  say(...lines: readonly string[]): void;
}

export interface Server {
  readonly address: string;
  readonly namespace: string;
  /** The origin of the server, for people. */
  readonly how: string;
  /** Whether the demo started it. */
  readonly started: boolean;
  readonly pid?: number;
  readonly cliPath?: string;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly onProgress: (line: string) => void;
  /** The started server outlives this process. */
  readonly detach: boolean;
  readonly signal: AbortSignal;
}

/** One node as it is drawn. */
export interface Entry {
  readonly standing?: NodeStatus | 'lost';
  readonly effect?: string;
  /** Its result, such as `1,204 records`. */
  readonly gave?: string;
}

export interface Outline {
  readonly root: string;
  readonly entries: ReadonlyMap<string, object>;
}

export interface OutlineOptions {
  /** The words below each title. Default: all that the title leaves unsaid. */
  readonly words?: 'none';
  readonly more?: (id: string) => Entry;
}

export interface Look {
  readonly width: number;
  readonly paint: Screen['paint'];
  /** One line per node, whose title is cut. */
  readonly single?: boolean;
  /** Says how each node stands in words, too. */
  readonly named?: boolean;
}

export interface Backstage {
  createScreen(output: Output): Screen;
  /** The first of `keys` that a person presses. */
  askKey<const Key extends string>(keys: readonly Key[], signal: AbortSignal): Promise<Key>;
  connectOrStart(options: ServerOptions): Promise<Server>;
  /** The address of the server's Web UI, where there is one. */
  webUiOf(server: Server): Promise<string | undefined>;
  /** The folder that the product keeps its files in. */
  cacheFolder(): string;
  /** The plan that a store has. */
  decodePlan(
    bytes: Uint8Array,
  ): { readonly ok: true; readonly plan: CompiledPlan } | { readonly ok: false; readonly message: string };
  outlineOf(plan: CompiledPlan, options?: OutlineOptions): Outline;
  outlineLines(outline: Outline, look: Look): readonly string[];
  /** How many nodes have which effect, in words. */
  sumOf(entries: Iterable<object>): string;
  /** The plan that undoes what a closed run did, and the effects that stay. */
  undoDocument(
    session: {
      readonly plans: PlanClient;
      readonly run: RunHandle;
      readonly namespace: string;
      readonly client: Client;
      readonly results: Store;
    },
    registry: CapabilityRegistry,
    typed: (command: string) => string,
  ): Promise<{
    readonly document: string;
    readonly left: readonly { readonly node: string; readonly reason: string }[];
  }>;
  /** Hears the nodes of a plan while a model writes it. */
  createFeedback(hear: (feedback: Feedback) => void): (text: string) => void;
}
