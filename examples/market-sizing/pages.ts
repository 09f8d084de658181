/** The folder of the pages of this demo. They were written for it: there is no such region. */

import { fileURLToPath } from 'node:url';

export const PAGES = fileURLToPath(new URL('./pages', import.meta.url));
