import { conforms } from './store-conformance.ts';
import { s3Stores } from './stores.ts';

conforms('S3', s3Stores);
