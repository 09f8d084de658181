/** A worker counts its attempts and its calls of models, and tells spans of them. */

import { context, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { CapabilityError, defineCapability } from '../../src/capabilities/index.ts';
import { openModels, openTracing } from '../../src/config/own-worker/index.ts';
import { ModelError, scriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import { METRICS, madeAs } from '../../src/protocol/index.ts';
import type { Meter } from '../../src/activities/meters.ts';
import { ids, tool } from '../support/capabilities.ts';
import { idsOf } from '../support/plans.ts';
import { failureOf, openActivities, WORKFLOW_ID, type ActivityRig } from './rig.ts';

const SECRET = 'the goal of nobody else';
const asks = tool(
  'asks',
  'read',
  'text',
  z.object({}),
  async ({ model }) => (await model?.({ messages: [{ role: 'user', content: SECRET }], maxTokens: 7 }))?.text ?? '',
);
const breaks = tool('breaks', 'read', 'text', z.object({}), () => {
  throw new CapabilityError('CRITICAL', SECRET);
});

/** Keeps what is counted, by metric and labels. */
function meterOf() {
  const counts = new Map<string, number>();
  const add = (name: string) => (value: number, labels: object) => {
    const key = `${name} ${Object.values(labels).join(' ')}`;
    counts.set(key, (counts.get(key) ?? 0) + value);
  };
  const meter = {
    createCounter: (name: string) => ({ add: add(name) }),
    createHistogram: (name: string) => ({ record: (_: number, labels: object) => add(name)(1, labels) }),
  } as unknown as Meter;
  const of = (metric: keyof typeof METRICS, ...labels: readonly string[]) =>
    counts.get(`${madeAs(METRICS[metric])} ${labels.join(' ')}`);
  return { meter, of };
}

const models = (...lines: readonly ScriptedLine[]) => openModels({ model: scriptedClient(lines) })!;

async function requestFor(rig: ActivityRig, plan: object) {
  const { revisionRef: revision } = await rig.compiled({ goal: SECRET, plan });
  return { revision, nodeId: 'node_1', inputs: [], work: 7 };
}
const task = (capability: string) => ({ type: 'task', task: 'Do it', capability });

describe('counts', () => {
  test('an attempt by its capability and end, and what it took', async () => {
    const { meter, of } = meterOf();
    const rig = await openActivities([ids, breaks], { meter });
    await rig.call('runTask', await requestFor(rig, idsOf('a')));
    await failureOf(rig.call('runTask', await requestFor(rig, task('breaks'))));
    expect([of('attempts', 'ids', 'succeeded'), of('attempts', 'breaks', 'failed')]).toEqual([1, 1]);
    expect([of('attemptTime', 'ids'), of('attemptTime', 'breaks')]).toEqual([1, 1]);
  });

  test('what its run holds back, and what begins at zero', async () => {
    const { meter, of } = meterOf();
    const effect = defineCapability({ ...asks, name: 'effect', effect: 'idempotent' });
    const askRun = () => Promise.resolve({ words: ['the run is paused'] });
    const rig = await openActivities([effect], { meter, askRun });
    expect(await rig.call('runTask', await requestFor(rig, task('effect')))).toMatchObject({
      deferred: 'run',
      reason: 'the run is paused',
    });
    expect([of('held', 'run'), of('held', 'fault')]).toEqual([1, 0]);
    expect([of('runs', 'failed', 'planWorkflow'), of('nodes', 'uncertain', 'agentWorkflow')]).toEqual([0, 0]);
  });

  test('a call that was bought once, whether or not it was of use, and one of the journal not at all', async () => {
    const { meter, of } = meterOf();
    const lines = [{ error: new ModelError('quota', 'no credit') }, { reply: 'yes' }];
    const rig = await openActivities([asks], { meter, models: models(...lines) });
    const request = await requestFor(rig, task('asks'));
    await failureOf(rig.call('runTask', request));
    for (let attempt = 0; attempt < 2; attempt += 1) await rig.call('runTask', request);
    expect([of('calls', 'scripted', 'quota'), of('calls', 'scripted', 'ok'), of('callTime', 'scripted')]).toEqual([
      1, 1, 2,
    ]);
    expect(of('tokens', 'scripted', 'output')).toBeGreaterThan(0);
    expect(of('cost', 'scripted')).toBeUndefined();
  });
});

/** Registers an SDK of OpenTelemetry for this test. */
function exporter(): InMemorySpanExporter {
  const spans = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return spans;
}

describe('spans', () => {
  const named = (spans: InMemorySpanExporter, name: string): ReadableSpan => {
    const found = spans.getFinishedSpans().find((span) => span.name === name);
    if (found === undefined)
      throw new Error(
        `no span ${name} among ${spans
          .getFinishedSpans()
          .map((one) => one.name)
          .join()}`,
      );
    return found;
  };

  test('of a node and of the call that it makes are one trace, by the conventions for models', async () => {
    const spans = exporter();
    const rig = await openActivities([asks], { models: models({ reply: 'yes' }), tracing: await openTracing() });
    await rig.call('runTask', await requestFor(rig, task('asks')));
    const [node, chat] = [named(spans, 'execute_tool asks'), named(spans, 'chat scripted')];
    expect(chat.parentSpanContext?.spanId).toBe(node.spanContext().spanId);
    expect(node.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'asks',
      'planwright.node': 'node_1',
      'planwright.run': WORKFLOW_ID,
      'planwright.attempt': 1,
    });
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'scripted',
      'gen_ai.request.max_tokens': 7,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.output_tokens': 1,
    });
    expect(
      JSON.stringify(spans.getFinishedSpans().map(({ attributes, events }) => [attributes, events])),
    ).not.toContain(SECRET);
  });

  test('of a run and of an agent that works for it are one trace, and those of another run are not', async () => {
    const spans = exporter();
    const rig = await openActivities([ids], { tracing: await openTracing() });
    const request = await requestFor(rig, idsOf('a'));
    const traces: string[] = [];
    for (const workflowId of ['plan-1', 'plan-1.first.node_4', 'plan-1.first.node_4.1', 'plan-2']) {
      const info = { workflowExecution: { workflowId, runId: 'r' } };
      await rig.call('compilePlan', { source: { document: { goal: SECRET, plan: idsOf('a') } } }, { info });
      spans.reset();
      await rig.call('runTask', request, { info });
      traces.push(named(spans, 'execute_tool ids').spanContext().traceId);
    }
    expect(traces.slice(1, 3)).toEqual([traces[0], traces[0]]);
    expect(traces[3]).not.toBe(traces[0]);
  });

  test('of planning are told as planning, and an error by its class and without its words', async () => {
    const spans = exporter();
    const tracing = await openTracing();
    const rig = await openActivities([ids, breaks], {
      models: models({ error: new ModelError('refusal', SECRET) }),
      tracing,
    });
    const asked = { stage: 'write', call: 'plan.1/write/1', goal: SECRET, work: 7 } as const;
    await rig.call('planGoal', asked).catch(() => undefined);
    expect(named(spans, 'plan write').attributes).toMatchObject({ 'gen_ai.operation.name': 'plan' });
    expect(named(spans, 'chat scripted').attributes).toMatchObject({ 'error.type': 'refusal' });
    await failureOf(rig.call('runTask', await requestFor(rig, task('breaks'))));
    expect(named(spans, 'execute_tool breaks')).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'CapabilityError' },
    });
    expect(
      JSON.stringify(spans.getFinishedSpans().map(({ attributes, events, status }) => [attributes, events, status])),
    ).not.toContain(SECRET);
  });

  test('go nowhere where no SDK is registered, which is said', async () => {
    const notes: string[] = [];
    const rig = await openActivities([ids], { tracing: await openTracing((told) => notes.push(told)) });
    expect(await rig.call('runTask', await requestFor(rig, idsOf('a')))).toMatchObject({ kind: 'set' });
    expect(notes).toEqual([expect.stringContaining('NODE_OPTIONS="--import')]);
  });
});
