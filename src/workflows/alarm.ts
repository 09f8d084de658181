/** One timer for the nearest deadline. It is set anew only when that moment changes, so that waiting costs no events. */

import { CancellationScope, sleep } from '@temporalio/workflow';

export interface Alarm {
  /** ISO 8601; undefined when nothing is waited for. */
  set(due: string | undefined): void;
}

export function createAlarm(ring: () => void): Alarm {
  let armed: { readonly due: string; readonly scope: CancellationScope } | undefined;
  return {
    set(due) {
      if (due === armed?.due) return;
      armed?.scope.cancel();
      armed = undefined;
      if (due === undefined) return;
      const scope = new CancellationScope();
      const mine = { due, scope };
      armed = mine;
      const wait = Math.max(1, Date.parse(due) - Date.now());
      scope
        .run(() => sleep(wait, { summary: `next deadline ${due}` }))
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
