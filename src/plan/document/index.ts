/** The plan as a person or a program hands it over, before it is read. */

export { wholeDocument } from './whole-document.ts';
