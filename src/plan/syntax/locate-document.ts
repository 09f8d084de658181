export interface Location {
  readonly syntax: 'json' | 'xml';
  readonly start: number;
}

/** Finds where a plan may begin: at `<plan>`, or at an object with a colon after its first key. */
export function locateDocument(text: string, wanted: 'json' | 'xml' | 'any', from = 0): Location | undefined {
  let at = from === 0 ? afterLostThought(text) : from;
  const first = /^\s*([{[])/.exec(text);
  if (from === 0 && first !== null && wanted !== 'xml')
    return first[1] === '{' ? { syntax: 'json', start: first[0].length - 1 } : undefined;
  const hasNoEnd = new Set<string>();
  for (;;) {
    MARK.lastIndex = at;
    const mark = MARK.exec(text);
    if (mark === null) return undefined;
    const [found, thought] = mark;
    const start = mark.index;
    if (thought !== undefined) at = afterClosing(`</${thought.toLowerCase()}>`, start + found.length);
    else if (found === '<!--') at = afterClosing('-->', start + found.length);
    else if (found === '{') {
      if (wanted !== 'xml' && OBJECT_START.test(text.slice(start, start + MAX_KEY))) {
        return /[[{"]\s*$/.test(text.slice(Math.max(0, start - MAX_KEY), start))
          ? undefined
          : { syntax: 'json', start };
      }
      at = start + 1;
    } else if (wanted === 'json') at = start + 1;
    else return { syntax: 'xml', start };
  }

  function afterClosing(closing: string, after: number): number {
    if (hasNoEnd.has(closing)) return text.length;
    const end = new RegExp(closing, 'gi');
    end.lastIndex = after;
    if (end.test(text)) return end.lastIndex;
    hasNoEnd.add(closing);
    return text.length;
  }
}

const MARK = /<(think|thinking|reasoning)>|<!--|\{|<plan(?=[\s/>])/gi;
const MAX_KEY = 300;
const OBJECT_START = /^\{\s*(?:\}|(?:"(?:[^"\\]|\\.)*"|'[^']*'|“[^”]*”|[A-Za-z_]\w*)\s*:|\/\/|\/\*|\\")/;

/** Finds the end of a model's thought at the start of a reply. The server may have cut off its opening tag. */
function afterLostThought(text: string): number {
  if (/^\s*[{[<]/.test(text)) return 0;
  const end = /<(\/?)(?:think|thinking|reasoning)>/i.exec(text);
  return end === null || end[1] === '' ? 0 : end.index + end[0].length;
}
