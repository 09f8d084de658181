/** Where the pages of this demo are. They were written for it: there is no such region. */

import { fileURLToPath } from 'node:url';

export const PAGES = fileURLToPath(new URL('./pages', import.meta.url));
