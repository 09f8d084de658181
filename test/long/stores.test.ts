/** The whole suite of stores on real servers, which are built or installed where they are missing. */

import { conforms, WHOLE } from '../store/store-conformance.ts';
import { FILES, postgresStores, s3Stores } from '../store/stores.ts';

conforms('files', () => Promise.resolve(FILES), WHOLE);
conforms('PostgreSQL', postgresStores, WHOLE);
conforms('S3', s3Stores, WHOLE);
