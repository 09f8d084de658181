/** What workers of scenarios can do. Each writes into the ledger when it begins and when it has done its work. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { createSet, type ResultSet } from '../../src/plan/algebra/index.ts';
import { defineCapability, type Capability, type TaskContext } from '../../src/capabilities/index.ts';
import type { Effect } from '../../src/plan/index.ts';
import type { Deed, Line } from './ledger.ts';
import { tool } from '../support/capabilities.ts';

const input = z.object({ name: z.string(), ms: z.number().default(0) });
type Task = TaskContext<z.output<typeof input>>;

/** Short silences, so that a scenario does not wait long for what is dead. */
export const HEARTBEAT_MS = 1500;
const BOUNDS = { heartbeatMs: HEARTBEAT_MS, startToCloseMs: 20_000 };
/**
 * A device may take longer than whatever the mechanism of locks waits for. A worker that a busy machine keeps from beating
 * is no dead one: what it writes would go on beside the next writer.
 */
const SETTING = { startToCloseMs: 100_000, heartbeatMs: 20_000 };

/** @param version of what writes, and of nothing else */
export function createCapabilities(write: (line: Line) => void, version?: string): readonly Capability[] {
  const working = (name: string, effect: Effect, bounds: { readonly timeout?: typeof BOUNDS } = { timeout: BOUNDS }) =>
    defineCapability({
      name,
      description: 'Takes as long as it is told and gives its name.',
      input,
      output: 'set',
      effect,
      ...(effect !== 'read' && version !== undefined && { version }),
      usesGoal: false,
      ...bounds,
      execute: (task) => atWork(write, task, effect),
    });
  const choose = defineCapability({
    name: 'choose',
    kind: 'wait',
    description: 'Asks a person for a list of ids.',
    input,
    output: 'set',
    effect: 'read',
    timeout: BOUNDS,
    execute: ({ arguments: { name } }) => ({
      text: `which ids for ${name}?`,
      schema: { type: 'array', items: { type: 'string' } },
    }),
  });
  const setting = (name: string, effect: 'idempotent' | 'at-most-once') =>
    tool(
      { name, resource: ({ device }) => device, usesGoal: false, timeout: SETTING },
      effect,
      'set',
      input.extend({ device: z.string() }),
      (task) => atWork(write, task, effect),
    );
  return [
    working('look', 'read'),
    working('look-long', 'read'),
    working('mark', 'idempotent'),
    working('mark-once', 'at-most-once'),
    // With the product's own silences.
    working('look-usual', 'read', {}),
    working('mark-usual', 'idempotent', {}),
    setting('set', 'idempotent'),
    setting('set-once', 'at-most-once'),
    choose,
  ];
}

async function atWork(write: (line: Line) => void, task: Task, effect: Effect): Promise<ResultSet> {
  const { name, ms } = task.arguments;
  write(deed('begin', task, effect));
  await sleep(ms, undefined, { signal: task.signal });
  write(deed('end', task, effect));
  return createSet([{ id: name }]);
}

/** A line about what this attempt does now. */
export function deed(kind: Deed['kind'], task: TaskContext<{ readonly name: string }>, effect: Effect): Deed {
  const { activityId, attempt, workflowExecution } = Context.current().info;
  return {
    kind,
    at: Date.now(),
    pid: process.pid,
    run: workflowExecution?.workflowId ?? '',
    activity: activityId,
    attempt,
    name: task.arguments.name,
    key: task.idempotencyKey,
    effect,
  };
}
