/** The failure converter of a worker that encrypts, under the export name that the SDK loads. */

export { sealingConverter as failureConverter } from './failure-converter.js';
