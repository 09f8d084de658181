/** One timer for the nearest deadline. It is set anew only when that moment changes, so that waiting costs no events. */

import { CancellationScope, sleep } from '@temporalio/workflow';

export interface Alarm {
  /**
   * @param due ISO 8601; undefined when nothing is waited for
   * @param words what is waited for until then; asked for only when a timer is set
   */
  set(due: string | undefined, words: (due: string) => string): void;
}

export function createAlarm(ring: () => void): Alarm {
  let armed: { readonly due: string; readonly scope: CancellationScope } | undefined;
  return {
    set(due, words) {
      if (due === armed?.due) return;
      armed?.scope.cancel();
      armed = undefined;
      if (due === undefined) return;
      const scope = new CancellationScope();
      const mine = { due, scope };
      armed = mine;
      const wait = Math.max(1, Date.parse(due) - Date.now());
      scope
        .run(() => sleep(wait, { summary: words(due) }))
        .then(
          () => {
            if (armed !== mine) return;
            armed = undefined;
            ring();
          },
          // Another deadline took its place.
          () => undefined,
        );
    },
  };
}
