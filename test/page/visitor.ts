/** Somebody who visits a page that is served, without a browser: with its cookies, and the forms that it has. */

export interface Answer {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

export interface Visitor {
  read(path: string): Promise<Answer>;
  /** Sends a form as the page at this address would, and goes where it is sent on to. */
  say(from: string, to: string, fields: Readonly<Record<string, string | readonly string[]>>): Promise<Answer>;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

export function visitorOf(origin: string): Visitor {
  const cookies = new Map<string, string>();
  async function ask(path: string, { headers = {}, ...init }: Asked = {}): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(origin + path, { ...init, redirect: 'manual', headers: { ...headers, cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next !== null) return ask(next);
    return { status: answer.status, url: path, text: await answer.text(), headers: answer.headers };
  }
  return {
    read: (path) => ask(path),
    async say(from, to, fields) {
      const { text } = await ask(from);
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(text) ?? [];
      const body = new URLSearchParams({ csrf });
      for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one);
      return ask(to, { method: 'POST', body, headers: { origin, referer: origin + from } });
    },
  };
}

/** A page as it is read: its words, with single spaces. */
export function plainOf(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');
}

/** The hidden fields of the first form of a page that has a button which does this. */
export function formIn(text: string, does: string): Readonly<Record<string, string>> {
  const form = text.split('<form ').find((one) => one.includes(`name="does" value="${does}"`));
  if (form === undefined) throw new Error(`no form does ${does}: ${plainOf(text)}`);
  const hidden = form.matchAll(/type="hidden" name="(?!csrf)([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}
