/**
 * A process that has a store open, and does with it what its parent says over Node's channel:
 *
 *   { put: keys, bytes }     puts all at once; answers with the keys that were free
 *   { pour: atOnce, marked } puts things, `atOnce` at a time and without an end; tells each when its promise has resolved
 */

import { pouredAs, type Order, type Told } from './store-pairs.ts';
import { encryptedStore, openStore } from '../../src/store/index.ts';

const { PLACE = '', ENCRYPTED_WITH: a } = process.env;
const store = a === undefined ? openStore(PLACE) : encryptedStore(openStore(PLACE), { keys: { a }, current: 'a' });
const tell = (told: Told) => void process.send?.(told);

process.on('message', (order: Order) => void carryOut(order));
process.on('disconnect', () => process.exit());
tell({ ready: true });

async function carryOut(order: Order): Promise<void> {
  if ('put' in order) {
    const won = await Promise.all(order.put.map((key) => store.put(key, Buffer.from(order.bytes))));
    return tell({ free: order.put.filter((_, at) => won[at]) });
  }
  let next = 0;
  const work = async () => {
    for (let n = next++; ; n = next++) {
      const { key, bytes } = pouredAs(order.marked, n);
      await store.put(key, bytes);
      tell({ poured: n });
    }
  };
  await Promise.all(Array.from({ length: order.pour }, work));
}
