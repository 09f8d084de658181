/** The short form; `npm run test:long` has the whole one. */

import { noPostgres } from '../../scripts/servers/postgres.mjs';
import { conforms, SHORT } from './store-conformance.ts';
import { postgresStores } from './stores.ts';

conforms('PostgreSQL', postgresStores, SHORT, noPostgres());
