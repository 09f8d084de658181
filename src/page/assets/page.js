/** The browser's part of the page: live view, clocks, and signing. Reading and answering work without it. */

const SECOND = 1000;
/** Time limit in ms for reloading the page. If it fails, the next change causes another try. */
const PAGE_MS = 30 * SECOND;
const OLD = 'What it shows may be old.';
const UNREAD = 'This has just come or moved. Nothing was sent: read it, then press again.';
document.documentElement.classList.add('js');

/** @returns {HTMLElement | null | undefined} */
function find(place, selector) {
  return place?.querySelector(selector);
}

/** Shows times in the reader's time zone; the title has UTC. */
function showTimes() {
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const day =
      at.toDateString() === new Date().toDateString() ? {} : /** @type {const} */ ({ day: 'numeric', month: 'short' });
    // Where times are compared, their seconds count.
    const second = time.closest('table, .facts') ? /** @type {const} */ ({ second: '2-digit' }) : {};
    if (!Number.isNaN(at.getTime()))
      time.textContent = at.toLocaleString([], { ...day, hour: '2-digit', minute: '2-digit', ...second });
  }
}

/** Cards as the server wrote them last. */
const known = new Map();
const cardsOf = (page) => /** @type {HTMLElement[]} */ ([...page.querySelectorAll('[data-item]')]);
function remember(page) {
  for (const card of cardsOf(page)) known.set(card.dataset.item, card.outerHTML);
}
remember(document);
showTimes();

/** When an update last added or moved each card. A press soon after that may have been meant for another card. */
const arrivedAt = new Map();
const isUnread = (button, at) => at < arrivedAt.get(button.closest('[data-item]').dataset.item) + SECOND;

function tick() {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-since]'))) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(one.dataset.since)) / SECOND));
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    one.textContent =
      hours > 48
        ? `${Math.floor(hours / 24)} days`
        : hours > 0
          ? `${hours} h ${minutes} min`
          : minutes > 0
            ? `${minutes} min ${seconds % 60} s`
            : `${seconds} s`;
  }
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-item] button[value]')))
    button.ariaDisabled = isUnread(button, performance.now()) ? 'true' : null;
}
setInterval(tick, SECOND);
tick();

/** The live view. A hidden page closes its connection, since browsers open only a few to one server. */
const live = /** @type {HTMLElement | null} */ (document.querySelector('[data-live]'));
if (live) follow(live.dataset.live, live.dataset.mark);

function follow(path, from) {
  let mark = from;
  let source;
  let isOver = false;
  const open = () => {
    if (isOver || source) return;
    source = new EventSource(`${path}?mark=${encodeURIComponent(mark)}`);
    source.addEventListener('message', ({ lastEventId }) => {
      mark = lastEventId;
      tell('');
      void load();
    });
    source.addEventListener('over', () => {
      isOver = true;
      close();
    });
    source.addEventListener('error', () => {
      tell(`This page has lost its server, and tries again. ${OLD}`);
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

const warning = (...children) => element('p', { className: 'warning', role: 'status' }, ...children);

const liveTold = warning();
function tell(text) {
  liveTold.textContent = text;
  if (text === '') liveTold.remove();
  else document.getElementById('main').prepend(liveTold);
}

let looksAt = location.href;
let isLoading = false;
let isDue = false;

/** Reads the page again, and a second time if a change arrives meanwhile. */
async function load() {
  isDue = true;
  if (isLoading) return;
  isLoading = true;
  while (isDue) {
    isDue = false;
    // The selected item of the inbox; else the page reloads what it shows.
    looksAt = /** @type {HTMLAnchorElement | null} */ (find(document, '.rows [aria-current]'))?.href ?? looksAt;
    await pageAt(looksAt).then(show, ({ message }) => tell(`${message}. ${OLD}`));
  }
  isLoading = false;
}

async function pageAt(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(PAGE_MS) });
  if (answer.redirected) throw new Error('The session is over: load the page again');
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  return answer.ok ? page : Promise.reject(new Error(find(page, '[role=alert]')?.textContent ?? page.title));
}

/** Applies changes. Keeps what a person has typed, opened or scrolled, and the focus. */
function show(page) {
  const [old, fresh] = [document, page].map((one) => one.getElementById('page'));
  const [was, is] = [old, fresh].map((place) => find(place, '#waits .approval')?.dataset);
  isAnother ||= was?.item === is?.item && was?.digest !== is?.digest;
  const touched = cardsOf(old).filter(isTouched);
  const changed = cardsOf(old).filter((card) => known.get(card.dataset.item) !== cardIn(fresh, card)?.outerHTML);
  // Removes the focus from a button if its card has changed, since its reader has not read the new text.
  const { activeElement } = document;
  if (changed.some((card) => !touched.includes(card) && card.contains(activeElement)))
    /** @type {HTMLElement} */ (activeElement).blur();
  remember(fresh);
  for (const card of touched) keepCard(card, fresh, changed.includes(card));
  if (isAnother && is) {
    const link = element('a', { href: '' }, 'See what has changed');
    find(fresh, '#waits').prepend(warning('The plan is another one now. ', link));
  }
  document.title = page.title;
  const spots = new Set(cardsOf(old).map(spotOf));
  const beforeNodeMorphed = (node) => node.id !== 'beside' && !touched.includes(node);
  // `zoom` sets the size of the picture. Any other size in between would lose the scroll position.
  const isZoom = (name, node) => name !== 'viewBox' && node.matches('.drawing > svg');
  const beforeAttributeUpdated = (name, node) => !(name === 'open' || isTyped(name, node) || isZoom(name, node));
  // `Idiomorph` comes from its own file.
  /** @type {any} */ (globalThis).Idiomorph.morph(old, fresh, {
    callbacks: { beforeNodeMorphed, beforeAttributeUpdated },
  });
  showTimes();
  zoom(1);
  for (const card of cardsOf(old)) if (!spots.has(spotOf(card))) arrivedAt.set(card.dataset.item, performance.now());
  tick();
}

/** Identifies what a person sees in a card: its question and its position. */
const spotOf = (card) => `${JSON.stringify(card.dataset)} ${Math.round(card.getBoundingClientRect().top)}`;

// Stops a press on a button that has just moved; Enter in a field counts as one. An update may delay the event, but not
// its `timeStamp`.
document.addEventListener('click', (event) => {
  const pressed = /** @type {any} */ (event.target).closest('[data-item] button[value]');
  for (const button of pressed?.form.querySelectorAll('button') ?? []) button.setCustomValidity('');
  if (!pressed || !isUnread(pressed, event.timeStamp)) return;
  event.preventDefault();
  pressed.setCustomValidity(UNREAD);
  pressed.reportValidity();
});

let isAnother = false;

function cardIn(page, card) {
  return find(page, `[data-item="${CSS.escape(card.dataset.item)}"]`);
}

/** Keeps a card unchanged while a person types in it, even if it is answered elsewhere. */
function keepCard(card, fresh, hasChanged) {
  if (hasChanged && !find(card, '.outdated')) {
    const button = element('button', { type: 'button' }, 'Show it as it is now');
    button.addEventListener('click', () => {
      for (const form of card.querySelectorAll('form')) touchedForms.delete(form);
      void load();
    });
    const line = warning('This has changed while you were typing. ', button);
    line.classList.add('outdated');
    card.prepend(line);
  }
  const copy = card.cloneNode(true);
  const now = cardIn(fresh, card);
  if (now) now.replaceWith(copy);
  else find(fresh, '#waits').prepend(copy);
}

/** 0: as wide as there is room. */
let scale = 0;
function zoom(by) {
  const svg = document.querySelector('.drawing svg');
  if (!svg) return;
  const { width, height } = /** @type {SVGSVGElement} */ (svg).viewBox.baseVal;
  const now = svg.getBoundingClientRect().width / width;
  if (by !== 1) scale = by === 0 ? 0 : Math.min(3, Math.max(0.2, now * by));
  svg.classList.toggle('zoomed', scale > 0);
  svg.setAttribute('width', `${width * (scale || 1)}`);
  svg.setAttribute('height', `${height * (scale || 1)}`);
}

document.addEventListener('click', (event) => {
  const target = /** @type {Element} */ (event.target);
  const button = /** @type {HTMLElement | null} */ (target.closest('[data-zoom]'));
  if (button) zoom(Number(button.dataset.zoom));
  const beside = document.getElementById('beside');
  if (target.closest('#beside .close')) beside.replaceChildren();
  const link = target.closest('#plan a.node, #outline a');
  // A narrow screen has no second column.
  const isWide = matchMedia('(min-width: 1000px)').matches;
  if (!link || !beside || !isWide || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  void pageAt(link.getAttribute('href')).then(
    (page) => openBeside(beside, page),
    (error) => tell(error.message),
  );
});

function openBeside(beside, page) {
  const close = element('button', { type: 'button', className: 'close' }, 'Close');
  beside.replaceChildren(close, ...page.querySelectorAll('#page > *'));
  beside.scrollIntoView({ block: 'nearest' });
  showTimes();
}

/** Keys move between open items and to their yes and no buttons. No key sends anything. */
document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || /** @type {Element} */ (target).matches('input, textarea, select')) return;
  const waits = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.wait')]);
  const at = waits.findIndex((one) => one.contains(document.activeElement));
  const here = waits[Math.max(0, at)];
  if (key === 'j' || key === 'k') {
    const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.rows a')]);
    const row = rows[rows.findIndex((one) => one.ariaCurrent === 'true') + (key === 'j' ? 1 : -1)];
    row?.click();
    const next = waits[Math.min(waits.length - 1, Math.max(0, key === 'j' ? at + 1 : at - 1))];
    next?.focus();
  } else if (key === 'a') find(here, 'button.main')?.focus();
  else if (key === 'r') {
    const no = find(here, 'details:has(button[value=reject])');
    no?.setAttribute('open', '');
    find(no, 'input[name=comment]')?.focus();
  } else return;
  event.preventDefault();
});

/** Prevents that a form on a slow connection is sent twice. */
let sentAt = 0;
document.addEventListener('submit', (event) => {
  if (Date.now() - sentAt < 5 * SECOND) event.preventDefault();
  else if (!event.defaultPrevented) sentAt = Date.now();
});

/** Forms that a person has changed. */
const touchedForms = new WeakSet();
document.addEventListener('input', ({ target }) => touchedForms.add(/** @type {Element} */ (target).closest('form')));

function isTouched(part) {
  const isTyping = part.contains(document.activeElement) && document.activeElement.matches('input, textarea, select');
  return isTyping || [...part.querySelectorAll('form')].some((form) => touchedForms.has(form));
}

function isTyped(name, node) {
  return /^(?:value|checked|selected)$/.test(name) && touchedForms.has(node.closest('form'));
}

/** A key of this browser. Nobody can export its private part, not even this code. */
const ED25519 = { name: 'Ed25519' };

async function keyStore(mode, work) {
  const opening = indexedDB.open('planwright', 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('keys'));
  const database = await settled(opening);
  try {
    return await settled(work(database.transaction('keys', mode).objectStore('keys')));
  } finally {
    database.close();
  }
}

function settled(request) {
  return new Promise((resolve, reject) => {
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

const noKey = document.getElementById('no-key');
if (noKey && globalThis.crypto?.subtle) void showKey().catch((error) => (noKey.textContent = String(error)));

async function showKey() {
  const own = await storedKey();
  const place = /** @type {any} */ (document.getElementById(own ? 'own-key' : 'make-key'));
  if (own) {
    const { subject, kid, roles } = own;
    const publicKey = await pemOf(own.publicKey);
    const key = { publicKey, subject, ...(roles.length > 0 && { roles }), person: true };
    find(place, 'span').textContent = subject;
    find(place, 'code').textContent = `identity: ${JSON.stringify({ keys: { [kid]: key } }, undefined, 2)},`;
    place.querySelector('button').addEventListener('click', async () => {
      if (!confirm('Nobody can bring it back. Forget it?')) return;
      await keyStore('readwrite', (keys) => keys.delete('own'));
      location.reload();
    });
  }
  place.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [subject, roles] = ['subject', 'roles'].map((name) => place.elements[name].value);
    const pair = await crypto.subtle.generateKey(ED25519, false, ['sign', 'verify']);
    const { publicKey, privateKey } = /** @type {CryptoKeyPair} */ (pair);
    const name = subject.trim();
    const all = roles.split(',').map((role) => role.trim());
    const key = { publicKey, privateKey, subject: name, kid: `${name}-browser`, roles: all.filter(Boolean) };
    await keyStore('readwrite', (keys) => keys.put(key, 'own'));
    location.reload();
  });
  noKey.hidden = true;
  place.hidden = false;
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

/** A compact JWS, as in docs/identity.md. */
async function signed({ privateKey, kid, subject }, { aud, firstRunId, message, role }, { namespace, life }) {
  const encode = (value) => base64url(new TextEncoder().encode(JSON.stringify(value)));
  const iat = Math.floor(Date.now() / SECOND);
  const claims = {
    sub: subject,
    ...(role && { role }),
    aud,
    ...(firstRunId && { firstRunId }),
    ...(namespace !== 'default' && { ns: namespace }),
    ...{ iat, exp: iat + Number(life), jti: crypto.randomUUID(), message },
  };
  const unsigned = `${encode({ alg: 'EdDSA', kid })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(ED25519, privateKey, new TextEncoder().encode(unsigned));
  return `${unsigned}.${base64url(new Uint8Array(signature))}`;
}
