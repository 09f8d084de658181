/** The failure converter of a worker that encrypts, under the name by which the SDK loads one. */

export { sealingConverter as failureConverter } from './failure-converter.js';
