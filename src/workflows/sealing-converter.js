/** Exports the failure converter of a worker that encrypts under the name that the SDK loads. */

export { sealingConverter as failureConverter } from './failure-converter.js';
