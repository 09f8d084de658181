/** The door of `calculate`. */

export { calculate } from './calculate.ts';
