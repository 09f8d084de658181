/** The door of `document`: the plan as a person or a program hands it over, before anything reads it. */

export { wholeDocument } from './whole-document.ts';
