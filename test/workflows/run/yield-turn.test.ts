/** When the next turn begins, in the SDK's own scopes, timers and conditions. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { defaultPayloadConverter } from '@temporalio/common';
import type * as Scopes from '@temporalio/workflow/lib/cancellation-scope.js';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Mailbox } from '../../../src/workflows/mailbox.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

const SDK = /@temporalio[\\/]workflow[\\/]/;

afterAll(() => {
  vi.doUnmock('@temporalio/workflow');
  vi.resetModules();
  vi.unstubAllGlobals();
});

/** What the SDK has in the sandbox of a workflow, as far as this takes it. */
interface Activator {
  readonly completions: { readonly timer: Map<number, { resolve(): void }> };
  readonly blockedConditions: Map<number, { fn(): boolean; resolve(): void }>;
  rootScope?: unknown;
}

const commands: string[] = [];
const activator = { completions: { timer: new Map() }, blockedConditions: new Map() } as Activator;
let openMailbox: () => Mailbox;

beforeAll(async () => {
  Object.assign(activator, {
    nextSeqs: { timer: 1, condition: 1 },
    interceptors: { outbound: [] },
    info: { namespace: 'default', workflowId: 'w' },
    payloadConverter: defaultPayloadConverter,
    pushCommand: (command: object) => commands.push(...Object.keys(command).filter((key) => key.endsWith('Timer'))),
  });
  vi.stubGlobal('AsyncLocalStorage', AsyncLocalStorage);
  vi.stubGlobal('__TEMPORAL_ACTIVATOR__', activator);
  // Only a copy that is loaded with these globals has scopes.
  const require = createRequire(import.meta.url);
  for (const file of Object.keys(require.cache)) if (SDK.test(file)) delete require.cache[file];
  vi.resetModules();
  vi.doMock('@temporalio/workflow', () => ({ ...(require('@temporalio/workflow') as object) }));
  const { RootCancellationScope } = require('@temporalio/workflow/lib/cancellation-scope') as typeof Scopes;
  activator.rootScope = new RootCancellationScope();
  const { Mailbox } = await import('../../../src/workflows/mailbox.ts');
  openMailbox = () => new Mailbox();
});

/** As the SDK does when all jobs of an activation, and the promises that they settle, are done. */
function evaluateConditions(): void {
  for (const [seq, { fn, resolve }] of activator.blockedConditions) {
    if (!fn()) continue;
    activator.blockedConditions.delete(seq);
    resolve();
  }
}

test('a turn takes all that one activation brings, facts before messages', async () => {
  const mailbox = openMailbox();
  let isAwake = false;
  void mailbox.awaitTurn().then(() => (isAwake = true));
  const at = '2026-07-25T10:00:00.000Z';
  void mailbox.receiveUpdate({ name: 'control', payload: {}, at });
  await setImmediate();
  expect(isAwake).toBe(false);
  mailbox.add({ is: 'cancelled', at });
  evaluateConditions();
  await setImmediate();
  expect(isAwake).toBe(true);
  const turn = mailbox.deliver((arrivals) => ({ messageIds: arrivals.map((_, index) => index), arrivals }));
  expect(turn.arrivals.map(({ is }) => is)).toEqual(['cancelled', undefined]);
});

test('leaves no condition behind, whether its timer or a message ends the wait', async () => {
  const mailbox = openMailbox();
  for (let times = 0; times < 3; times++) {
    const breath = mailbox.yieldTurn();
    expect(activator.blockedConditions.size).toBe(1);
    for (const [seq, { resolve }] of activator.completions.timer) {
      activator.completions.timer.delete(seq);
      resolve();
    }
    await breath;
    expect(activator.blockedConditions.size).toBe(0);
  }
  const breath = mailbox.yieldTurn();
  mailbox.add({ is: 'cancelled', at: '2026-07-25T10:00:00.000Z' });
  evaluateConditions();
  await breath;
  expect(activator.completions.timer.size).toBe(0);
  expect(commands).toEqual([...Array.from({ length: 4 }, () => 'startTimer'), 'cancelTimer']);
});

test('work that has ended leaves no scope behind', async () => {
  const { openScope } = await import('../../../src/workflows/sdk/task-scope.ts');
  const scopes = Array.from({ length: 10 }, () => {
    const scope = openScope();
    void scope.run(async () => undefined);
    return new WeakRef(scope);
  });
  await setImmediate();
  collectGarbage();
  expect(scopes.filter((scope) => scope.deref() !== undefined)).toEqual([]);
});
