/** Plans in XML, read as the lists of steps that they are. */

export { readXml } from './read-xml.ts';
