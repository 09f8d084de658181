/** The short form; `npm run test:long` has the whole one. */

import { noMinio } from '../../scripts/servers/minio.mjs';
import { conforms, SHORT } from './store-conformance.ts';
import { s3Stores } from './stores.ts';

conforms('S3', s3Stores, SHORT, noMinio());
