import { conforms, SHORT } from './store-conformance.ts';
import { encrypted, FILES } from './stores.ts';

conforms('encrypted files', () => Promise.resolve(encrypted(FILES)), SHORT);
