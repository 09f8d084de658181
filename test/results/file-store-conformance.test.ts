import { conforms } from './store-conformance.ts';

conforms('files');
