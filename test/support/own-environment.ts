/** Test files share a process: what one of them sets in the environment is no part of the next. */

import { afterEach, vi } from 'vitest';

afterEach(() => void vi.unstubAllEnvs());
