/** One call at a time for many who ask: while one is under way, those who come are gathered, and the next is for all of them. */

export interface Line<Item, Answer> {
  take(item: Item): Promise<Answer>;
  /** No item waits. */
  isIdle(): boolean;
}

/** @param call answers for each item in order; when it throws, all that it was called for are told so */
export function createLine<Item, Answer>(
  call: (items: readonly Item[]) => Promise<readonly Answer[]>,
): Line<Item, Answer> {
  let gathering: { readonly items: Item[]; readonly answers: Promise<readonly Answer[]> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  function gather() {
    const items: Item[] = [];
    const answers = last.then(() => {
      gathering = undefined;
      return call(items);
    });
    last = answers.catch(() => undefined);
    return (gathering = { items, answers });
  }

  return {
    async take(item) {
      const { items, answers } = gathering ?? gather();
      const place = items.push(item) - 1;
      waiting += 1;
      try {
        return (await answers)[place] as Answer;
      } finally {
        waiting -= 1;
      }
    },
    isIdle: () => waiting === 0,
  };
}
