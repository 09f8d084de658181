/** The whole suite of stores on real servers, which are built or installed where they are missing. */

import { conforms, WHOLE } from '../store/store-conformance.ts';
import { postgresStores, s3Stores } from '../store/stores.ts';

conforms('PostgreSQL', postgresStores, WHOLE);
conforms('S3', s3Stores, WHOLE);
