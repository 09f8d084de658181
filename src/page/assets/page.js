/** The part of the page that a browser runs: the live view, clocks, and a key that signs. Reading and answering need none of it. */

const SECOND = 1000;

/* Clocks: time since a moment, counted here. */
function tick() {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-since]'))) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(one.dataset.since)) / SECOND));
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    one.textContent =
      hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  }
}
setInterval(tick, SECOND);
tick();

/* The live view: parts that have changed take the place of those of their ids. A browser opens few connections to one
   server, so a page that nobody sees has none. */
const live = /** @type {HTMLElement | null} */ (document.querySelector('[data-live]'));
if (live) follow(live.dataset.live, live.dataset.mark);

function follow(path, from) {
  let mark = from;
  let source;
  let isOver = false;
  const open = () => {
    if (isOver || source) return;
    source = new EventSource(`${path}?mark=${encodeURIComponent(mark)}`);
    source.addEventListener('message', ({ data, lastEventId }) => {
      mark = lastEventId;
      tell('');
      show(JSON.parse(data));
    });
    source.addEventListener('over', () => {
      isOver = true;
      close();
    });
    source.addEventListener('error', () => {
      tell('This page has lost its server, and tries again. What it shows may be old.');
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      setTimeout(() => document.hidden || open(), 5 * SECOND);
    });
  };
  const close = () => {
    source?.close();
    source = undefined;
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  if (!document.hidden) open();
}

function tell(text) {
  const old = document.getElementById('live-told');
  if (text === '') return old?.remove();
  const line = old ?? Object.assign(document.createElement('p'), { id: 'live-told', className: 'warning' });
  line.setAttribute('role', 'status');
  line.textContent = text;
  if (!old) live.before(line);
}

const held = new Map();

function show({ parts, title }) {
  document.title = title;
  for (const [id, markup] of Object.entries(parts)) {
    const old = document.getElementById(id);
    if (!old) continue;
    // Nothing that somebody is typing, or has chosen, is taken away.
    if (isTouched(old)) hold(id, old, markup);
    else put(old, markup);
  }
  tick();
}

function put(old, markup) {
  const made = document.createElement('template');
  made.innerHTML = markup;
  for (const one of old.querySelectorAll('details[open][id]')) {
    made.content.querySelector(`details[id="${CSS.escape(one.id)}"]`)?.setAttribute('open', '');
  }
  const scrolled = old.querySelector('.drawing');
  const [left, top] = [scrolled?.scrollLeft ?? 0, scrolled?.scrollTop ?? 0];
  const fresh = made.content.firstElementChild;
  old.replaceWith(made.content);
  fresh?.querySelector('.drawing')?.scrollTo({ left, top, behavior: 'instant' });
}

function isTouched(part) {
  if (part.contains(document.activeElement) && document.activeElement.matches('input, textarea, select')) return true;
  return [...part.querySelectorAll('input, textarea, select')].some((one) =>
    one.matches('[type=radio], [type=checkbox]')
      ? one.checked !== one.defaultChecked
      : one.matches('select')
        ? ![...one.options].every(
            (option, at) =>
              option.selected === (option.defaultSelected || (at === 0 && !one.querySelector('[selected]'))),
          )
        : one.type !== 'hidden' && one.value !== one.defaultValue,
  );
}

function hold(id, old, markup) {
  if (!held.has(id)) {
    const line = Object.assign(document.createElement('p'), { className: 'warning' });
    const button = Object.assign(document.createElement('button'), {
      type: 'button',
      textContent: 'Show it as it is now',
    });
    line.append('This has changed while you were typing. ', button);
    line.setAttribute('role', 'status');
    button.addEventListener('click', () => {
      line.remove();
      put(document.getElementById(id), held.get(id));
      held.delete(id);
    });
    old.before(line);
  }
  held.set(id, markup);
}

/* A key of this browser. Its private part can be used here, and cannot be read, by this code neither. */
const ED25519 = { name: 'Ed25519' };

async function keyStore(mode, work) {
  const database = await settled(indexedDB.open('planwright', 1), (request) => {
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore('keys'));
  });
  try {
    return await settled(work(database.transaction('keys', mode).objectStore('keys')));
  } finally {
    database.close();
  }
}

/** @param {(request: any) => void} [prepare] */
function settled(request, prepare) {
  return new Promise((resolve, reject) => {
    prepare?.(request);
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

const storedKey = () => keyStore('readonly', (keys) => keys.get('own'));

async function pemOf(publicKey) {
  const bytes = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey));
  return `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...bytes))}\n-----END PUBLIC KEY-----`;
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function element(name, fields, ...children) {
  const made = Object.assign(document.createElement(name), fields);
  made.append(...children);
  return made;
}

function field(label, name, value) {
  return element('label', {}, `${label} `, element('input', { name, value, maxLength: 200 }));
}

const keyPlace = document.querySelector('[data-key]');
if (keyPlace && globalThis.crypto?.subtle)
  void showKey(keyPlace).catch((error) => keyPlace.append(element('p', { className: 'warning' }, String(error))));

async function showKey(place) {
  const own = await storedKey();
  if (own) {
    const { subject, kid, roles } = own;
    const lines = [
      'identity: {',
      '  keys: {',
      `    ${JSON.stringify(kid)}: {`,
      `      publicKey: ${JSON.stringify(await pemOf(own.publicKey))},`,
      `      subject: ${JSON.stringify(subject)},`,
      ...(roles.length > 0 ? [`      roles: ${JSON.stringify(roles)},`] : []),
      '      person: true,',
      '    },',
      '  },',
      '},',
    ].join('\n');
    const gone = element('button', { type: 'button', className: 'bad' }, 'Forget this key');
    gone.addEventListener('click', async () => {
      if (!confirm('Nobody can bring it back. Forget it?')) return;
      await keyStore('readwrite', (keys) => keys.delete('own'));
      location.reload();
    });
    place.replaceChildren(
      element(
        'p',
        {},
        `There is a key of ${subject}. Its public half, as planwright.config.ts takes it; start the workers again then:`,
      ),
      element('pre', {}, element('code', {}, lines)),
      gone,
    );
    return;
  }
  const form = element(
    'form',
    {},
    field('Your name, as the key speaks for it', 'subject', place.dataset.name),
    field('Your roles, with commas between', 'roles', ''),
    element('button', { className: 'main' }, 'Make a key'),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { subject, roles } = form.elements;
    const pair = await crypto.subtle.generateKey(ED25519, false, ['sign', 'verify']);
    const { publicKey, privateKey } = /** @type {CryptoKeyPair} */ (pair);
    const name = subject.value.trim();
    const key = {
      ...{ publicKey, privateKey, subject: name, kid: `${name}-browser` },
      roles: roles.value
        .split(',')
        .map((role) => role.trim())
        .filter((role) => role !== ''),
    };
    await keyStore('readwrite', (keys) => keys.put(key, 'own'));
    location.reload();
  });
  place.replaceChildren(form);
}

const signPlace = document.querySelector('[data-sign]');
if (signPlace && globalThis.crypto?.subtle) void offerToSign(signPlace);

async function offerToSign(place) {
  const own = await storedKey();
  if (!own) return;
  const button = element('button', { className: 'main' }, `Sign as ${own.subject}, and send`);
  place.replaceChildren(button);
  const form = place.closest('form');
  form.addEventListener('submit', async (event) => {
    if (form.elements.token) return;
    event.preventDefault();
    for (const one of JSON.parse(place.dataset.sign)) {
      const token = await signed(own, one, place.dataset);
      form.append(element('input', { type: 'hidden', name: 'token', value: token }));
    }
    form.submit();
  });
}

/** A compact JWS as docs/identity.md has it. */
async function signed({ privateKey, kid, subject }, { aud, chain, message, role }, { namespace, life }) {
  const encode = (value) => base64url(new TextEncoder().encode(JSON.stringify(value)));
  const iat = Math.floor(Date.now() / SECOND);
  const claims = {
    sub: subject,
    ...(role && { role }),
    aud,
    ...(chain && { chain }),
    ...(namespace !== 'default' && { ns: namespace }),
    ...{ iat, exp: iat + Number(life), jti: crypto.randomUUID(), message },
  };
  const unsigned = `${encode({ alg: 'EdDSA', kid })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(ED25519, privateKey, new TextEncoder().encode(unsigned));
  return `${unsigned}.${base64url(new Uint8Array(signature))}`;
}
