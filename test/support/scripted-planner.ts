/**
 * A double of a model for planning: it says what its script has for each purpose, in order, and fails where the script has
 * nothing. It never improvises.
 */

import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { defineAgent, defineCapability } from '../../src/capabilities/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { compilePlan, MODEL_LIMITS } from '../../src/plan/index.ts';
import type { Capability } from '../../src/capabilities/index.ts';
import type { Catalogue, JsonValue } from '../../src/plan/index.ts';
import type { ModelClient, ModelReply, ModelRequest } from '../../src/models/index.ts';
import type { Planner } from '../../src/planner/index.ts';

/** A text, a value in JSON, a reply of which only this differs, or what is thrown. */
export type Line = string | { readonly json: JsonValue } | Partial<ModelReply> | Error;
/** By purpose: `extract`, `route`, `select`, `write` or `report`. */
export type Script = Readonly<Record<string, readonly Line[]>>;

export interface Scripted {
  readonly asked: { readonly purpose: string; readonly request: ModelRequest }[];
  ask(request: ModelRequest, purpose: string, onText?: (delta: string) => void): Promise<ModelReply>;
}

export const USAGE = { calls: 1, inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };

export function scripted(script: Script): Scripted {
  const left = new Map(Object.entries(script).map(([purpose, lines]) => [purpose, [...lines]]));
  const asked: Scripted['asked'] = [];
  return {
    asked,
    async ask(request, purpose, onText) {
      asked.push({ purpose, request });
      const line = left.get(purpose)?.shift();
      if (line === undefined) throw new Error(`the script has nothing (more) for ${purpose}`);
      if (line instanceof Error) throw line;
      const reply = replyOf(line);
      for (const delta of reply.text.match(/[^]{1,7}/g) ?? []) onText?.(delta);
      return reply;
    },
  };
}

function replyOf(line: Exclude<Line, Error>): ModelReply {
  const base = { text: '', toolCalls: [], finish: 'stop', usage: USAGE, model: 'scripted' } as const;
  if (typeof line === 'string') return { ...base, text: line };
  if ('json' in line) return { ...base, text: JSON.stringify(line.json), value: line.json };
  return { ...base, ...line };
}

/** As a client of a model: the purpose is told by what the request asks for. */
export function scriptedModel(script: Script): ModelClient & Pick<Scripted, 'asked'> {
  const { ask, asked } = scripted(script);
  return { name: 'scripted', asked, complete: (request, options) => ask(request, purposeOf(request), options?.onText) };
}

function purposeOf({ format }: ModelRequest): string {
  const byFormat: Readonly<Record<string, string>> = { task: 'extract', selection: 'select', plan: 'write' };
  return format === undefined ? 'write' : (byFormat[format.name] ?? format.name);
}

/** A failure as a client of a model throws it. */
export function modelError(kind: string, severity: string, more: Readonly<Record<string, unknown>> = {}): Error {
  return Object.assign(new Error(`${kind} happened`), { name: 'ModelError', kind, severity, ...more });
}

function capability(name: string, more: Partial<Capability> = {}): Capability {
  return defineCapability({
    name,
    description: `Does ${name}.`,
    input: z.looseObject({}),
    output: 'set',
    effect: 'read',
    execute: () => createSet([]),
    ...more,
  } as Parameters<typeof defineCapability>[0]);
}

export const search = capability('search', {
  description: 'Finds genes.',
  input: z.object({ text: z.string() }),
  provides: ['GENES'],
  guide: { when: 'Genes are looked for.', examples: ['{"text":"kinase"}'] },
});
export const rank = capability('rank', { requires: ['GENES'], provides: ['RANKS'] });
export const plot = capability('plot', { requires: ['RANKS'] });
export const erase = capability('erase', { effect: 'at-most-once' });
export const always = capability('always', { alwaysActive: true });

export const researcher = defineAgent({
  name: 'researcher',
  description: 'Finds sources.',
  instructions: 'Search before you answer.',
  capabilities: [search],
});
export const writer = defineAgent({
  name: 'writer',
  description: 'Writes texts.',
  instructions: 'Write plainly.',
  capabilities: [],
});

/** More than are offered without a selection. */
export const manyMore = Array.from({ length: 16 }, (_, at) => capability(`more_${at}`));

/** A catalogue that knows agents too. */
export function catalogueOf(capabilities: readonly Capability[], agents = [researcher, writer]): Catalogue {
  const registry = createRegistry(capabilities);
  return {
    ...registry,
    agents: agents.map(({ name }) => name),
    executor: (kind, name) =>
      kind === 'capability'
        ? registry.executor(kind, name)
        : agents.some((one) => one.name === name)
          ? { kind, name, version: '1', effect: 'read' }
          : undefined,
  };
}

export function plannerOf(script: Script, more: Partial<Planner> = {}): Planner & Pick<Scripted, 'asked'> {
  const { ask, asked } = scripted(script);
  const capabilities = createRegistry(more.capabilities ?? [search, rank, plot]).all;
  return { ask, asked, agents: [], prompts: {}, format: 'nodes', ...more, capabilities };
}

export function compilerOf(planner: Pick<Planner, 'capabilities' | 'agents'>, contextKeys: readonly string[] = []) {
  const catalogue = catalogueOf(
    planner.capabilities.filter(({ name }) => !['respond', 'ask', 'clarify'].includes(name)),
    planner.agents as never,
  );
  return (document: unknown, step?: { readonly isStep: true }) =>
    compilePlan(document, { catalogue, contextKeys, ...step, limits: MODEL_LIMITS });
}
