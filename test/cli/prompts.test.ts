/** Questions about plans while a run goes on: each is asked alone, since one key press must not answer two. */

import { expect, test, vi } from 'vitest';
import type { OpenItem } from '../../src/protocol/index.ts';

const asked: { message: string; choose: (chosen: unknown) => void }[] = [];
vi.mock(import('../../src/cli/reading/index.ts'), async (original) => ({
  ...(await original()),
  askDecision: ((message: string) => new Promise((choose) => asked.push({ message, choose }))) as unknown as Awaited<
    ReturnType<typeof original>
  >['askDecision'],
}));
// Another file of this process may have loaded the module without the mock.
vi.resetModules();
const { createPrompts } = await import('../../src/cli/running/prompts.ts');

const itemOf = (workflowId: string, digest: string) =>
  ({
    workflowId,
    kind: 'approval',
    digest,
    shown: 'costs',
    nodes: [],
    send: { name: 'approve', input: {} },
  }) as unknown as OpenItem;

test('a second approval is asked after the first was answered, below its own plan', async () => {
  const screen: string[] = [];
  const board = {
    has: () => false,
    show: (digest: string) => Promise.resolve(screen.push(`plan ${digest}`) > 0),
  };
  const shell = {
    output: { canAsk: true, note: (text: string) => screen.push(text) },
    flags: '',
    perform: (_: string, { workflowId, shown }: { workflowId: string; shown?: string }) =>
      Promise.resolve({ reply: (screen.push(`sent to ${workflowId}, as ${shown} was shown`), 'approved') }),
  };
  const view = { hold: () => undefined, note: () => undefined };
  const prompts = createPrompts('root', board, { by: 'operator' }, view, shell as never);
  for (const [key, digest] of [
    ['agent-a', 'aaaaaaaa'],
    ['agent-b', 'bbbbbbbb'],
  ] as const)
    prompts.onChange({ change: 'open', key, item: itemOf(key, digest) } as never);
  await expect.poll(() => asked).toHaveLength(1);
  expect(screen).toEqual(['plan aaaaaaaa']);
  asked[0]!.choose({ kind: 'approve' });
  await expect.poll(() => asked).toHaveLength(2);
  expect(screen).toEqual(['plan aaaaaaaa', 'sent to agent-a, as costs was shown', 'approved', 'plan bbbbbbbb']);
});
