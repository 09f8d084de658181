/** The results in the order of the items. Throws the first failure when all running calls have ended. */
export async function inParallel<T, R>(
  most: number,
  things: readonly T[],
  work: (thing: T) => Promise<R>,
): Promise<readonly R[]> {
  const given = new Array<R>(things.length);
  const failed: unknown[] = [];
  let next = 0;
  const one = async () => {
    while (next < things.length && failed.length === 0) {
      const at = next++;
      try {
        given[at] = await work(things[at]!);
      } catch (error) {
        failed.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, things.length) }, one));
  if (failed.length > 0) throw failed[0];
  return given;
}
