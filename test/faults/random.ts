/** Chance that can be had again: the same seed, the same plans and faults. */

export interface Random {
  /** From 0 to below `below`, whole. */
  below(below: number): number;
  /** True in so many of 100 cases. */
  percent(chance: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Marsaglia, Xorshift RNGs (2003): the 32-bit triple 13, 17, 5. The seed is any whole number. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) | 1;
  const random: Random = {
    below(below) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return Math.floor(((state >>> 0) / 2 ** 32) * below);
    },
    percent: (chance) => random.below(100) < chance,
    pick(from) {
      const picked = from[random.below(from.length)];
      if (picked === undefined) throw new RangeError('there is nothing to pick from');
      return picked;
    },
  };
  return random;
}

/** `PLANWRIGHT_SEED` (several with commas between), else as many as are asked for, the same in every run. */
export function seeds(count: number, env: NodeJS.ProcessEnv = process.env): readonly number[] {
  const given = env['PLANWRIGHT_SEED'];
  if (given === undefined || given === '') return Array.from({ length: count }, (_, n) => n + 1);
  const numbers = given.split(',').map(Number);
  if (numbers.every(Number.isSafeInteger)) return numbers;
  throw new TypeError(`PLANWRIGHT_SEED is ${JSON.stringify(given)}; expected whole numbers, with commas between`);
}
