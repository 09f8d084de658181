/** The steps of the workflow by hand. */

import type { Invoice, World } from './world.ts';

export type Activities = ReturnType<typeof createActivities>;

export function createActivities(world: World) {
  return {
    readOrder: async () => world.ordered(),
    readDelivery: async () => world.delivered(),
    pay: (invoice: Invoice) => world.pay(invoice),
    writeReceipt: (text: string) => world.print(text),
  };
}
