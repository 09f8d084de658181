/**
 * A process that has a store open, and does with it what its parent says over Node's channel:
 *
 *   { bind: names, to }   binds all at once; answers with the references
 *   { keep: name, values }
 *   { pour: atOnce, marked } writes pairs of an object and a kept value, `atOnce` at a time and without an end; tells each when its promises have resolved
 */

import { pairOf, type Order, type Told } from './store-pairs.ts';
import { encryptedStore, openStore } from '../../src/store/index.ts';

const { PLACE = '', ENCRYPTED_WITH: a } = process.env;
const store = a === undefined ? openStore(PLACE) : encryptedStore(openStore(PLACE), { keys: { a }, current: 'a' });
const tell = (told: Told) => void process.send?.(told);

process.on('message', (order: Order) => void carryOut(order));
process.on('disconnect', () => process.exit());
tell({ ready: true });

async function carryOut(order: Order): Promise<void> {
  if ('bind' in order) return tell({ bound: await Promise.all(order.bind.map((name) => store.bind(name, order.to))) });
  if ('keep' in order) {
    await Promise.all(order.values.map((value) => store.keep(order.keep, Buffer.from(value))));
    return tell({ bound: [] });
  }
  let next = 0;
  const work = async () => {
    for (let n = next++; ; n = next++) {
      const { bytes, name, value } = pairOf(order.marked, n);
      await Promise.all([store.put(bytes), store.keep(name, value)]);
      tell({ poured: n });
    }
  };
  await Promise.all(Array.from({ length: order.pour }, work));
}
