/** The door of `fetchPage`. */

export { fetchPage, type FetchPageOptions } from './fetch-page.ts';
