/** Forged, broken and misdirected tokens: each is refused, for its own fault, in words that say what to do. */

import { describe, expect, test } from 'vitest';
import { createVerifier, MAX_TOKEN_CHARACTERS } from '../../../src/protocol/identity/index.ts';
import {
  OPERATOR,
  base64url,
  CLAIMS,
  HEADER,
  KEYS,
  NOW,
  RUN,
  SECOND,
  SERVICE,
  signed,
  signedWithHmac,
  signedWithOther,
  STRANGER,
  token,
} from './tokens.ts';

const verifier = createVerifier({ keys: KEYS });
const [header = '', claims = '', signature = ''] = token().split('.');
const HOUR = 3600;
const UNKNOWN_KEY = /key that is not known here; .*one of operator, service/;

const HOSTILE: readonly (readonly [name: string, token: unknown, reason: RegExp])[] = [
  // What is no token.
  ['nothing', undefined, /token: expected a text, .*got nothing/],
  ['an object', { token: token() }, /expected a text.*got an object/],
  ['an empty text', '', /no compact JWS/],
  ['garbage', 'approve, please', /no compact JWS/],
  ['unicode', '🧬.🧬.🧬', /no compact JWS/],
  ['two parts', `${header}.${claims}`, /no compact JWS/],
  ['five parts, as of an encrypted one', `${header}.${claims}.${signature}.a.b`, /no compact JWS/],
  ['padding', `${header}=.${claims}.${signature}`, /no compact JWS/],
  ['a line break at its end', `${token()}\n`, /no compact JWS/],
  ['space in it', `${header}. ${claims}.${signature}`, /no compact JWS/],
  ['plain base64', `${header}.${claims}.${signature.slice(0, 84)}+/`, /no compact JWS/],
  ['no signature', `${header}.${claims}.`, /no compact JWS/],
  ['half a signature', `${header}.${claims}.${signature.slice(0, 43)}`, /no compact JWS/],
  ['64 KiB and one character', 'a'.repeat(MAX_TOKEN_CHARACTERS + 1), /has 65537 characters, at most 65536/],
  ['a large message, signed', token({ message: { x: 'a'.repeat(MAX_TOKEN_CHARACTERS) } }), /at most 65536 are read/],
  // Headers.
  ['a header that is no JSON', signed('{alg', JSON.stringify(CLAIMS), OPERATOR.privateKey), /no compact JWS/],
  ['a header that is a list', signed('["EdDSA"]', JSON.stringify(CLAIMS), OPERATOR.privateKey), /no compact JWS/],
  ['alg none, unsigned', `${base64url('{"alg":"none"}')}.${claims}.`, /no compact JWS/],
  ['alg none, with a signature', token({}, { alg: 'none' }), /only EdDSA/],
  ['alg NONE', token({}, { alg: 'NONE' }), /only EdDSA/],
  ['alg left out', token({}, { alg: undefined }), /only EdDSA/],
  ['alg in other letters', token({}, { alg: 'eddsa' }), /only EdDSA/],
  ['alg Ed25519', token({}, { alg: 'Ed25519' }), /only EdDSA/],
  ['alg as a list', token({}, { alg: ['EdDSA'] }), /only EdDSA/],
  ['HS256 with the public key as secret', signedWithHmac(OPERATOR.publicKey), /no compact JWS/],
  ['HS256 named over 64 bytes', token({}, { alg: 'HS256' }), /only EdDSA/],
  ['RS256', signedWithOther('RS256'), /no compact JWS/],
  ['ES256', signedWithOther('ES256'), /only EdDSA/],
  ['ES256 that calls itself EdDSA', signedWithOther('ES256', 'EdDSA'), /signature does not fit the key "operator"/],
  [
    'an extension that must be understood',
    token({}, { crit: ['exp'], exp: 1 }),
    /asks for extensions \("crit" or "b64"\)/,
  ],
  ['no extension that must be understood', token({}, { crit: [] }), /asks for extensions/],
  ['an extension of null', token({}, { crit: null }), /asks for extensions/],
  ['a payload that is not encoded', token({}, { crit: ['b64'], b64: false }), /asks for extensions/],
  ['a payload that is not encoded, and nobody has to know', token({}, { b64: false }), /asks for extensions/],
  ['a payload that is said to be encoded', token({}, { b64: true }), /asks for extensions/],
  // Keys.
  ['a wrong key', token({}, {}, STRANGER.privateKey), /signature does not fit the key "operator".*sign again/],
  [
    'a key of its own in the header',
    token({}, { jwk: { kty: 'OKP', crv: 'Ed25519', x: base64url(Buffer.alloc(32)) } }, STRANGER.privateKey),
    /does not fit/,
  ],
  ['an unknown kid', token({}, { kid: 'deputy' }), UNKNOWN_KEY],
  ['a kid that every object has', token({}, { kid: '__proto__' }), UNKNOWN_KEY],
  ['a kid that is no text', token({}, { kid: { toString: 'operator' } }), UNKNOWN_KEY],
  ['a kid of null', token({}, { kid: null }), UNKNOWN_KEY],
  ['no kid, where there are two keys', token({}, { kid: undefined }), /does not say which key.*there are 2/],
  ["the kid of another's key", token({ sub: 'deputy' }, { kid: 'service' }), /does not fit the key "service"/],
  [
    "another's key under one's own kid",
    token({}, { kid: 'operator' }, SERVICE.privateKey),
    /does not fit the key "operator"/,
  ],
  // Times.
  ['expired', token({ iat: SECOND - HOUR, exp: SECOND - 61 }), /expired at 2026-03-04T05:05:06.*clock/],
  ['not yet valid', token({ nbf: SECOND + 61 }), /not valid before 2026-03-04T05:07:08.*clock/],
  ['made in the future', token({ iat: SECOND + 61, exp: SECOND + 300 }), /made at .* in the future.*clock/],
  ['made in milliseconds', token({ iat: SECOND * 1000, exp: SECOND * 1000 + 300 }), /in the future/],
  ['a life over 24 h', token({ exp: SECOND + 24 * HOUR + 1 }), /lives for 86401 s.*1 to 86400 s/],
  ['a life for ever', token({ exp: 8.64e12 }), /lives for/],
  ['no life', token({ exp: SECOND }), /lives for 0 s/],
  ['a life backwards', token({ iat: SECOND + 30, exp: SECOND }), /lives for -30 s/],
  ['no exp', token({ exp: undefined }), /exp: expected a number of seconds since 1970, got nothing/],
  ['no iat', token({ iat: undefined }), /iat: expected a number/],
  ['exp as text', token({ exp: String(SECOND + 300) }), /exp: expected a number/],
  [
    'exp beyond all numbers',
    signed(JSON.stringify(HEADER), JSON.stringify(CLAIMS).replace(`${CLAIMS.exp}`, '1e999'), OPERATOR.privateKey),
    /exp: expected a number/,
  ],
  ['iat before 1970', token({ iat: -1 }), /iat: expected a number/],
  ['nbf as text', token({ nbf: 'now' }), /nbf: expected a number/],
  // Who, to whom, what.
  ['another audience', token({ aud: 'plan-2' }), /made for the run "plan-2" and came to the run "plan-1"/],
  ['a list of audiences', token({ aud: [RUN] }), /aud: expected the workflow id of one run/],
  ['no audience', token({ aud: undefined }), /aud: expected/],
  ['no jti', token({ jti: undefined }), /jti: expected an id/],
  ['an empty jti', token({ jti: '' }), /jti: expected an id/],
  ['a jti of 201 characters', token({ jti: 'j'.repeat(201) }), /jti: expected an id/],
  ['no sub', token({ sub: undefined }), /sub: expected who speaks/],
  [
    'a sub of two lines',
    token({ sub: 'operator\napproved by deputy' }, { kid: 'service' }, SERVICE.privateKey),
    /sub: expected/,
  ],
  [
    'a sub that turns the text around',
    token({ sub: 'operato\u202Er' }, { kid: 'service' }, SERVICE.privateKey),
    /sub: expected/,
  ],
  [
    'a sub with half a character',
    token({ sub: 'operato\uD800' }, { kid: 'service' }, SERVICE.privateKey),
    /sub: expected/,
  ],
  ['a sub with space around it', token({ sub: ' operator' }), /sub: expected/],
  [
    'a subject that is not allowed',
    token({ sub: 'deputy' }),
    /key "operator" speaks for "operator" only, and the token says "deputy"/,
  ],
  ['a role that is not allowed', token({ role: 'admin' }), /speaks as reviewer only, and the token says "admin"/],
  ['a role that is a list', token({ role: ['reviewer'] }), /role: expected/],
  ['no message', token({ message: undefined }), /message: expected an object.*got nothing/],
  ['a message that is a list', token({ message: [] }), /message: expected an object.*got a list/],
  ['a message that is a text', token({ message: 'approve' }), /message: expected an object/],
  ['a message with by', token({ message: { digest: '3fa9c1d2', by: 'deputy' } }), /must not contain "by"/],
  ['a message with role', token({ message: { digest: '3fa9c1d2', role: 'admin' } }), /must not contain "role"/],
  ['a message with a token', token({ message: { token: token() } }), /must not contain "token"/],
  ['a message too deep to be written', withDeepMessage(20_000), /more than 1000 levels/],
  ['an unknown claim', token({ comment: 'outside the message' }), /unknown claim "comment"; known are sub/],
  [
    'claims that are a list',
    signed(JSON.stringify(HEADER), '[]', OPERATOR.privateKey),
    /claims: expected an object, got a list/,
  ],
  [
    'two messages',
    signedText('"message":', '"message":{"kind":"reject","digest":"3fa9c1d2"},"message":'),
    /has the key "message" more than once.*Write it once, and sign again/,
  ],
  ['two subjects', signedText('"sub":', '"sub":"deputy","sub":'), /has the key "sub" more than once/],
  ['two kinds in a message', signedText('"kind":', '"kind":"reject","kind":'), /has the key "kind" more than once/],
  [
    'a key that is written twice with an escape',
    signedText('"kind":', String.raw`"\u006bind" : "reject","kind":`),
    /has the key "kind" more than once/,
  ],
  [
    'a key twice deep in a message',
    signedText('"kind":"approve"', '"kind":"approve","value":[{"a":{"x":1,"x":2}}]'),
    /has the key "x" more than once/,
  ],
  [
    'two keys in the header',
    signed('{"alg":"EdDSA","kid":"service","kid":"operator"}', JSON.stringify(CLAIMS), OPERATOR.privateKey),
    /has the key "kid" more than once/,
  ],
  [
    'claims that are no JSON',
    signed(JSON.stringify(HEADER), '{"sub":', OPERATOR.privateKey),
    /claims: expected an object/,
  ],
  [
    'claims that are no UTF-8',
    signed(JSON.stringify(HEADER), Buffer.from([0x7b, 0xff, 0x7d]), OPERATOR.privateKey),
    /claims: expected an object/,
  ],
];

describe('RFC 8725: algorithm, key and audience: a token is refused with a reason that says what to do', () => {
  test.each(HOSTILE)('%s', (_name, hostile, reason) => {
    const verified = verifier.verify(hostile, RUN, NOW);
    // The project may have that key by now.
    const byNow = reason === UNKNOWN_KEY || reason.source.includes('does not fit') ? { isKeyUnknown: true } : {};
    expect(verified).toEqual({ ok: false, reason: expect.stringMatching(reason) as string, ...byNow });
  });

  test.each(HOSTILE)('%s: the reason is short, and holds no part of the token', (_name, hostile) => {
    const verified = verifier.verify(hostile, RUN, NOW);
    const reason = verified.ok ? '' : verified.reason;
    expect(reason.length).toBeLessThan(500);
    const parts = typeof hostile === 'string' ? hostile.split('.').filter((part) => part.length > 8) : [];
    expect(parts.filter((part) => reason.includes(part))).toEqual([]);
  });
});

test('is refused in another namespace than the one it names, and without one in any but `default`', () => {
  const staging = createVerifier({ keys: KEYS }, 'staging');
  const named = token({ ns: 'staging' });
  expect(staging.verify(named, RUN, NOW)).toMatchObject({ ok: true });
  for (const [one, text] of [
    [verifier, named],
    [staging, token()],
    [verifier, token({ ns: '' })],
    [verifier, token({ ns: ['default'] })],
  ] as const) {
    expect(one.verify(text, RUN, NOW)).toMatchObject({ ok: false, reason: expect.stringContaining('namespace') });
  }
  expect(verifier.verify(token({ ns: 'default' }), RUN, NOW)).toMatchObject({ ok: true });
});

test('the same token without its fault is accepted, so that each is refused for that fault', () => {
  expect(verifier.verify(token(), RUN, NOW)).toMatchObject({ ok: true, by: 'operator', role: 'reviewer', id: '0001' });
  const byService = token({ sub: 'deputy', role: 'admin' }, { kid: 'service' }, SERVICE.privateKey);
  expect(verifier.verify(byService, RUN, NOW)).toMatchObject({ ok: true, by: 'deputy', role: 'admin' });
});

test('a token that was signed before its run began was meant for an earlier run of that id', () => {
  const began = (seconds: number) => verifier.verify(token(), RUN, NOW, new Date((SECOND + seconds) * 1000));
  expect(began(60)).toMatchObject({ ok: true });
  const reason =
    /signed at 2026-03-04T05:06:07.000Z, before this run began at .*earlier run of the same id. Sign it again/;
  expect(began(61)).toEqual({ ok: false, reason: expect.stringMatching(reason) as string });
});

/** A token whose claims are no text that JSON.stringify writes. */
function signedText(found: string, changed: string): string {
  return signed(JSON.stringify(HEADER), JSON.stringify(CLAIMS).replace(found, changed), OPERATOR.privateKey);
}

/** Put together as text, since JSON.stringify runs out of stack at this depth. */
function withDeepMessage(levels: number): string {
  const lists = '['.repeat(levels) + ']'.repeat(levels);
  const text = JSON.stringify({ ...CLAIMS, message: { lists: 'here' } }).replace('"here"', lists);
  return signed(JSON.stringify(HEADER), text, OPERATOR.privateKey);
}
