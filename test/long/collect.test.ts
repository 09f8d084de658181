/** `store gc` in a loop beside fifty plans, on each kind of store that can make things old. */

import { onTestFinished, test } from 'vitest';
import { FILES, postgresStores } from '../store/stores.ts';
import { collectBesidePlans } from '../operations/upkeep/beside-plans.ts';

const HOUR = 3_600_000;

test('fifty plans in a folder', () => collectBesidePlans(FILES, 50, 5), HOUR);
test(
  'fifty plans in PostgreSQL',
  async () => {
    const kind = await postgresStores();
    onTestFinished(kind.close);
    await collectBesidePlans(kind, 50, 5);
  },
  HOUR,
);
