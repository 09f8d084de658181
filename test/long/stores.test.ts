/** The whole suite of stores on real servers, which are built or installed where they are missing. */

import { conforms, WHOLE } from '../results/store-conformance.ts';
import { postgresStores, s3Stores } from '../results/stores.ts';

conforms('PostgreSQL', postgresStores, WHOLE);
conforms('S3', s3Stores, WHOLE);
