/** The door of `searchText`. */

export { searchText, type SearchTextOptions } from './search-text.ts';
