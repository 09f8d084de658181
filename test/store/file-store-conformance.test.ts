import { conforms, SHORT } from './store-conformance.ts';
import { FILES } from './stores.ts';

conforms('files', () => Promise.resolve(FILES), SHORT);
