// Preloaded with --import: writes the URL of every module that an import names to the file LOADED_MODULES.
import { register } from 'node:module';

const hooks = `
  import { appendFileSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    appendFileSync(process.env.LOADED_MODULES, resolved.url + '\\n');
    return resolved;
  }`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
