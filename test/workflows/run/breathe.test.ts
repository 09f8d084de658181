/** A run that has more messages to hear than one turn takes, in the SDK's own scopes, timers and conditions. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { defaultPayloadConverter } from '@temporalio/common';
import type * as Scopes from '@temporalio/workflow/lib/cancellation-scope.js';
import { afterAll, expect, test, vi } from 'vitest';

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

test('leaves no condition behind, whether its timer or a message ends the wait', async () => {
  const commands: string[] = [];
  const activator = {
    nextSeqs: { timer: 1, condition: 1 },
    interceptors: { outbound: [] },
    info: { namespace: 'default', workflowId: 'w' },
    payloadConverter: defaultPayloadConverter,
    completions: { timer: new Map() },
    blockedConditions: new Map(),
    pushCommand: (command: object) => commands.push(...Object.keys(command).filter((key) => key.endsWith('Timer'))),
  } as Activator;
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
  const mailbox = new Mailbox();
  for (let times = 0; times < 3; times++) {
    const breath = mailbox.breathe();
    expect(activator.blockedConditions.size).toBe(1);
    for (const [seq, { resolve }] of activator.completions.timer) {
      activator.completions.timer.delete(seq);
      resolve();
    }
    await breath;
    expect(activator.blockedConditions.size).toBe(0);
  }
  const breath = mailbox.breathe();
  mailbox.put({ is: 'cancelled', at: '2026-07-25T10:00:00.000Z' });
  for (const [seq, { fn, resolve }] of activator.blockedConditions) {
    if (!fn()) continue;
    activator.blockedConditions.delete(seq);
    resolve();
  }
  await breath;
  expect(activator.completions.timer.size).toBe(0);
  expect(commands).toEqual([...Array.from({ length: 4 }, () => 'startTimer'), 'cancelTimer']);
});
