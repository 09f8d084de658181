/** What a demo needs of the product beyond its public exports. */

import { connectOrStart } from './dev-server/dev-server.ts';
import { cacheFolder } from './dev-server/options.ts';
import { webUiOf } from '../operations/web-ui.ts';
import { outlineLines } from '../plan/lines/index.ts';
import { sumOf } from '../plan/outline/index.ts';
import { decodePlan, outlineOf } from '../plan/index.ts';
import { createFeedback } from '../planner/index.ts';
import { askKey, createScreen } from './terminal/index.ts';

export const BACKSTAGE = {
  ...{ createScreen, askKey },
  ...{ connectOrStart, webUiOf, cacheFolder },
  ...{ decodePlan, outlineOf, outlineLines, sumOf },
  createFeedback,
} as const;
