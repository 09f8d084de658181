/** The contender's side of the channel (`bench/contender.ts`). */

/**
 * Says that this process is ready, carries out each shape that it is sent, and ends when the channel closes.
 * @param {{ name: string, label: string }} ready
 * @param {(shape: import('../contender.ts').Shape) => Promise<import('../contender.ts').Went>} carryOut
 * @returns {Promise<void>}
 */
export function answer(ready, carryOut) {
  process.on('message', (/** @type {import('../contender.ts').Shape} */ shape) => {
    void carryOut(shape).then((went) => process.send?.(went));
  });
  process.send?.({ ready });
  return new Promise((resolve) => process.once('disconnect', () => resolve()));
}

/** @param {number} ms @returns {Promise<void>} */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
