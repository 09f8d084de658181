export { servePage } from './serve.ts';
