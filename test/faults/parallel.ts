/** Much to do, so much of it at once. */

export async function inParallel<T>(
  list: readonly T[],
  atOnce: number,
  work: (one: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const take = async () => {
    for (let at = next++; at < list.length; at = next++) await work(list[at] as T, at);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}
