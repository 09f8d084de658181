import { connectOrStart } from './dev-server/dev-server.ts';
import { cacheFolder } from './dev-server/options.ts';
import { undoDocument } from '../operations/undo.ts';
import { webUiOf } from '../operations/web-ui.ts';
import { outlineLines } from '../plan/lines/index.ts';
import { sumOf } from '../plan/outline/index.ts';
import { decodePlan, outlineOf } from '../plan/index.ts';
import { createFeedback } from '../planner/index.ts';
import { askKey, type Output } from './terminal/index.ts';

/** Maximum width of a demo's output in columns; also its width if stderr is no terminal. */
const COLUMNS = 96;

export const BACKSTAGE = {
  ...{ askKey, connectOrStart, webUiOf, cacheFolder },
  ...{ decodePlan, outlineOf, outlineLines, sumOf },
  ...{ createFeedback, undoDocument },
  createScreen({ paint }: Pick<Output, 'paint'>) {
    const { stderr } = process;
    const say = (...lines: readonly string[]) => void stderr.write(lines.map((line) => `${line}\n`).join(''));
    return { width: Math.min(stderr.columns || COLUMNS, COLUMNS) - 1, paint, say };
  },
} as const;
