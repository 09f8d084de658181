/** Signed messages: whose word they are, that each counts once, and what an unknown key leads to. */

import { forgetReplies, receive } from '../../../../src/workflows/run/talk/inbox.ts';
import { describe, expect, test } from 'vitest';
import { MAX_TOKEN_CHARACTERS, type ProjectPolicy } from '../../../../src/protocol/index.ts';
import { applyEnd } from '../../../../src/workflows/run/arrive.ts';
import { openRun, planCompiled } from '../../../../src/workflows/run/run.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { statusOf } from '../../../../src/workflows/views/views.ts';
import type { TokenFacts } from '../../../../src/protocol/identity/token/index.ts';
import type { Verify } from '../../../../src/workflows/run/talk/authenticate.ts';
import { DIGEST, AT, BROKE, editOf, failed, later, openedRun, say, shapeOf, turn } from '../make-run.ts';

const SIGNED: ProjectPolicy = { inbox: false, keys: { first: { x: 'x' } } };
const UNTIL = Date.parse(AT) / 1000 + 300;
const UNKNOWN = { ok: false, reason: 'a key that is not known here', isKeyUnknown: true } as const;

/** A token is its key and what it says; every signature is another. */
function tokenOf(key: string, message: object, signature = 's'): string {
  const text = Buffer.from(JSON.stringify({ key, message })).toString('base64url');
  return `h.${text}.${signature.repeat(86).slice(0, 86)}`;
}

const verify: Verify = (token, { keys }) => {
  const { key, message } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
    key: string;
    message: Record<string, unknown>;
  };
  if (!(key in keys)) return UNKNOWN;
  return { ok: true, by: 'operator', role: 'ops', message, until: UNTIL };
};

const approve = { kind: 'approve', digest: DIGEST };

function hear(run: Run, token: string, at = AT) {
  const id = receive(run, { name: 'decide', payload: { token }, at });
  const orders = turn(run, at, { verify });
  return { ...orders, id, reply: orders.replies.find(({ message }) => message === id)?.reply };
}

describe('a signed message', () => {
  test('OWASP AISVS: bound by a signature: it is the word of whoever its key speaks for', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    expect(hear(run, tokenOf('first', approve)).reply).toEqual({ ok: true, reply: 'approved' });
    expect(run.state.approval.decisions).toMatchObject([{ by: 'operator', role: 'ops', verified: true }]);
  });

  test('is checked against the keys, the run, its start and the time at which it was heard', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    const asked: TokenFacts[] = [];
    receive(run, { name: 'decide', payload: { token: tokenOf('first', approve) }, at: later(5) });
    turn(run, later(90), {
      verify: (token, facts) => {
        asked.push(facts);
        return verify(token, facts);
      },
    });
    expect(asked).toEqual([{ keys: SIGNED.keys, workflowId: 'plan-1', firstRunId: '', startedAt: AT, at: later(5) }]);
  });

  test.each<[string, object, string, RegExp]>([
    ['a token that is no text', { token: 7 }, 'malformed', /^token: expected a compact JWS, got number 7/],
    ['something beside the token', { token: 't', by: 'me' }, 'malformed', /^by stands beside the token/],
    ['no compact JWS', { token: 'a.b' }, 'not-verified', /no compact JWS/],
    [
      'a token that is too long',
      { token: `h.${'p'.repeat(MAX_TOKEN_CHARACTERS)}.${'s'.repeat(86)}` },
      'not-verified',
      /JWS/,
    ],
    ['no token', approve, 'not-verified', /takes signed messages only/],
  ])('is refused before any key is looked at: %s', (_, payload, refusal, reason) => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    expect(say(run, 'decide', payload)).toMatchObject({ ok: false, refusal, reason: expect.stringMatching(reason) });
  });

  test('is refused by a run without keys, which says what to do', () => {
    const run = openedRun(shapeOf([[]]));
    expect(hear(run, tokenOf('first', approve)).reply).toMatchObject({
      refusal: 'not-verified',
      reason: expect.stringMatching(/^this worker has no identity keys; .*identity\.keys/),
    });
  });

  test('OWASP AISVS: used once: said again it is answered as it was, and does nothing', () => {
    const run = openedRun(shapeOf([[], []]), {}, SIGNED);
    const token = tokenOf('first', { kind: 'approve-part', nodes: ['node_1'], digest: DIGEST });
    const first = hear(run, token).reply;
    hear(run, tokenOf('first', { kind: 'withdraw', digest: DIGEST }, 'w'));
    expect(hear(run, token, later(9)).reply).toEqual(first);
    expect(run.state.approval.uncovered).toEqual([0, 1]);
    // Also while an activity works for it.
    const edit = tokenOf('first', editOf(run), 'e');
    expect(hear(run, edit).reply).toBeUndefined();
    expect(hear(run, edit).reply).toEqual({ ok: true, reply: 'this signed message was heard already' });
    expect(Object.values(run.tasks).filter(({ kind }) => kind === 'message')).toHaveLength(1);
  });

  test('is heard again, where it failed for want of a store or a worker', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    const edit = tokenOf('first', editOf(run), 'e');
    const [work = 0] = hear(run, edit).begin;
    failed(run, work, { ...BROKE, status: 'failed' }, AT, verify);
    expect(turn(run, AT, { verify }).replies).toMatchObject([{ reply: { refusal: 'failed' } }]);
    expect(hear(run, edit).begin).toHaveLength(1);
  });

  test('is kept before there is a plan, and verified when there is', () => {
    const run = openRun('plan-1', AT);
    expect(hear(run, tokenOf('first', approve)).reply).toMatchObject({ ok: true, kept: true });
    expect(hear(run, 'no token').reply).toMatchObject({ refusal: 'not-verified' });
    planCompiled(run, shapeOf([[]]), SIGNED, later(5));
    turn(run, later(5), { verify });
    expect(statusOf(run).phase).toBe('running');
  });

  test('OWASP AISVS: expiry: it is forgotten when it has expired for five minutes', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    hear(run, tokenOf('first', approve));
    forgetReplies(run, later(600_000));
    expect(Object.keys(run.state.pastReplies).length).toBe(1);
    forgetReplies(run, later(600_001));
    expect(Object.keys(run.state.pastReplies).length).toBe(0);
  });
});

describe('a key that is not known', () => {
  const later1 = later(60_000);

  test('is looked for in the project, and the message heard with what it has then', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    const { begin, reply } = hear(run, tokenOf('second', approve), later1);
    expect([reply, run.tasks[begin[0]!]]).toMatchObject([undefined, { request: { do: 'keys' } }]);
    const keys = { ...SIGNED.keys, second: { x: 'y' } };
    applyEnd(run, begin[0]!, { ok: true, value: { keys } }, later1, verify);
    expect(turn(run, later1, { verify }).replies).toMatchObject([{ reply: { ok: true, reply: 'approved' } }]);
  });

  test.each<[string, (run: Run, id: number) => void]>([
    ['has none', (run, id) => applyEnd(run, id, { ok: true, value: { keys: SIGNED.keys } }, later1, verify)],
    ['does not answer', (run, id) => failed(run, id, { ...BROKE, status: 'failed' }, later1, verify)],
  ])('is refused where the project %s', (_, answers) => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    const { begin } = hear(run, tokenOf('second', approve), later1);
    answers(run, begin[0]!);
    const reply = { ok: false, refusal: 'not-verified', reason: UNKNOWN.reason };
    expect(turn(run, later1, { verify }).replies).toEqual([{ message: 1, reply }]);
  });

  test('is looked for once a minute', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    expect(hear(run, tokenOf('second', approve), later(59_999)).reply).toMatchObject({ refusal: 'not-verified' });
    const { begin } = hear(run, tokenOf('second', approve), later1);
    applyEnd(run, begin[0]!, { ok: true, value: { keys: SIGNED.keys } }, later(61_000), verify);
    expect(hear(run, tokenOf('second', approve, 't'), later(120_999)).reply).toMatchObject({ refusal: 'not-verified' });
    expect(hear(run, tokenOf('second', approve, 't'), later(121_000)).begin).toHaveLength(1);
  });

  test('replaced under its name: a signature that does not fit has the keys read anew, and the old one is refused from then on', () => {
    // Signed with the private key of `second`, under the name that `first` had.
    const byX: Verify = (token, facts) => {
      const { key } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { key: string };
      return facts.keys['first']?.x === key
        ? verify(tokenOf('first', approve), facts)
        : { ...UNKNOWN, reason: 'no fit' };
    };
    const run = openedRun(shapeOf([[]]), {}, { inbox: false, keys: { first: { x: 'old' } } });
    const id = receive(run, { name: 'decide', payload: { token: tokenOf('new', approve) }, at: later1 });
    const { begin } = turn(run, later1, { verify: byX });
    expect(run.tasks[begin[0]!]).toMatchObject({ request: { do: 'keys' } });
    applyEnd(run, begin[0]!, { ok: true, value: { keys: { first: { x: 'new' } } } }, later1, byX);
    expect(turn(run, later1, { verify: byX }).replies).toMatchObject([{ message: id, reply: { ok: true } }]);
    receive(run, { name: 'decide', payload: { token: tokenOf('old', approve) }, at: later1 });
    expect(turn(run, later1, { verify: byX }).replies).toMatchObject([{ reply: { refusal: 'not-verified' } }]);
  });

  test('makes one look at the project, however many forged messages come while it lasts, and each is answered after it', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    for (let i = 0; i < 9; i += 1) {
      const token = tokenOf('second', approve, String(i));
      receive(run, { name: 'decide', payload: { token }, at: later1 });
    }
    const { begin, replies } = turn(run, later1, { verify });
    expect([begin.length, replies.length]).toEqual([1, 0]);
    applyEnd(run, begin[0]!, { ok: true, value: { keys: SIGNED.keys } }, later1, verify);
    const after = turn(run, later1, { verify });
    expect([after.begin.length, after.replies.length]).toEqual([0, 9]);
  });

  test('that is there when its turn comes may decide how the run ends', () => {
    const run = openedRun(shapeOf([[]]), {}, SIGNED);
    receive(run, { name: 'decide', payload: { token: tokenOf('second', { ...approve, kind: 'reject' }) }, at: later1 });
    turn(run, later1, { verify, pressure: 'events' });
    // Another message has brought the keys meanwhile.
    run.state.project = { ...SIGNED, keys: { ...SIGNED.keys, second: { x: 'y' } } };
    const orders = turn(run, later1, { verify });
    expect([orders.replies, orders.hasMore]).toMatchObject([[{ reply: { ok: true, reply: 'rejected' } }], true]);
    expect(turn(run, later1, { verify }).next).toBe('end');
    expect(statusOf(run).outcome).toBe('rejected');
  });
});
