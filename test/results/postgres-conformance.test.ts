import { conforms } from './store-conformance.ts';
import { postgresStores } from './stores.ts';

conforms('PostgreSQL', postgresStores);
