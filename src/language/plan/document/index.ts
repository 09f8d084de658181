/** The door of `document`: what a person or a program hands over as a plan, before anything reads it. */

export { wholeDocument } from './whole-document.ts';
