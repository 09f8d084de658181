/** The same steps for a plan. */

import { createSet } from 'planwright';
import { defineCapability } from 'planwright/capabilities';
import { z } from 'zod';
import type { World } from './world.ts';

export function createCapabilities(world: World) {
  const read = (name: string, description: string, lines: () => string[]) =>
    defineCapability({
      name,
      description,
      input: z.object({}),
      output: 'set',
      effect: 'read',
      execute: () => createSet(lines().map((id) => ({ id }))),
    });
  const invoice = z.object({ to: z.string(), amount: z.number().positive() });
  const money = { input: invoice, output: 'text', effect: 'at-most-once', timeout: { heartbeatMs: 5000 } } as const;
  const pay = defineCapability({
    ...money,
    name: 'pay',
    description: 'Pays an amount to somebody.',
    execute: (task) => world.pay(task.arguments),
    inverse: (task) => ({ capability: 'pay-back', arguments: task.arguments }),
  });
  const payBack = defineCapability({
    ...money,
    name: 'pay-back',
    description: 'Gets an amount back from somebody.',
    execute: (task) => world.payBack(task.arguments),
  });
  const receipt = defineCapability({
    name: 'receipt',
    description: 'Prints what it is given on one line.',
    input: z.object({}),
    output: 'text',
    effect: 'idempotent',
    async execute({ inputs }) {
      const given = await Promise.all(inputs.map((input) => input.read()));
      return world.print(
        given
          .map((one) =>
            one.kind === 'text' ? one.text : JSON.stringify(one.kind === 'value' ? one.value : one.set.ids),
          )
          .join(', '),
      );
    },
  });
  return [
    read('order', 'What was ordered, as a set.', world.ordered),
    read('delivery', 'What was delivered, as a set.', world.delivered),
    pay,
    payBack,
    receipt,
  ];
}
