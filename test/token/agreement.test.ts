/** Replies are accepted and rejected as by oauth4webapi (certified), but for differences with a reason. */
import * as fc from 'fast-check';
import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { judgeReply } from '../../src/token/reply';

const SERVER = { issuer: 'https://id.test' };
const CLIENT = { client_id: 'a' };

interface Made {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

async function theirs({ status, contentType, body }: Made): Promise<boolean> {
  const nullBody = status === 204;
  const response = new Response(nullBody ? null : body, { status, headers: { 'content-type': contentType } });
  return oauth.processClientCredentialsResponse(SERVER, CLIENT, response).then(
    () => true,
    () => false,
  );
}

function ours({ status, contentType, body }: Made): boolean {
  const headers = { get: (name: string) => (name === 'content-type' ? contentType : null) };
  const asked = { endpoint: 'e', requestedAtMs: 0, secret: 'canary' };
  try {
    judgeReply({ ...asked, status, headers, body: Buffer.from(status === 204 ? '' : body) });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(GwtokenError);
    return false;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Deliberately looser than oauth4webapi: it rejects, we accept. */
const LOOSER: Readonly<Record<string, (made: Made, members: Members) => boolean>> = {
  // Old and home-made servers say text/plain, and a body with every member right is no accident.
  'any content type, when the body is a token reply': ({ contentType }) =>
    !/^application\/json(;|$)/i.test(contentType),
  // Serializers write null for what has no value; it cannot be taken for anything else.
  'null stands for an absent expires_in or scope': (_, { expires_in, scope }) =>
    expires_in === null || scope === null,
  // Of no use to a client-credentials client, and dropped unread.
  'refresh_token and id_token are not looked at': (_, members) =>
    'refresh_token' in members || 'id_token' in members,
};

/** Deliberately stricter: it accepts, we reject. */
const STRICTER: Readonly<Record<string, (made: Made, members: Members) => boolean>> = {
  // A token goes into headers and shells: RFC 6749 appendix A.12 allows visible ASCII; 32 KiB is our limit.
  'access_token is VSCHAR and at most 32 KiB': (_, { access_token: token }) =>
    typeof token === 'string' && !/^[\x20-\x7e]{1,32768}$/.test(token),
  // A DPoP token is useless without a key, which gwtoken has not.
  'token_type dpop': (_, { token_type: type }) => typeof type === 'string' && /^dpop$/i.test(type),
  // A positive integer, or one as a string; theirs takes 0, 3600.5, and "12abc" through parseFloat.
  'expires_in is a positive whole number': (_, { expires_in: seconds }) =>
    Number(seconds) === 0 ||
    (typeof seconds === 'number' && !Number.isInteger(seconds)) ||
    (typeof seconds === 'string' && !/^\d+$/.test(seconds)) ||
    Array.isArray(seconds),
  // RFC 6749 section 3.3: it is printed, so line ends and escapes have no place in it.
  'scope is visible ASCII': (_, { scope }) => typeof scope === 'string' && !/^[\x20-\x7e]*$/.test(scope),
};

const token = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1 }) },
  fc.constantFrom('', null, 7, ['a'], 'two\nlines', 'ünicode', 'x'.repeat(32_768), 'x'.repeat(32_769)),
);
const type = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('bearer', 'Bearer', 'BEARER', 'bEaReR') },
  fc.constantFrom('mac', 'dpop', 'DPoP', '', 'bearer ', 'n_a', null, 7),
);
const lifetime = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1 }) },
  fc.integer(),
  fc.double(),
  fc.nat().map(String),
  fc.constantFrom('', '0', '-1', '3600.5', '12abc', ' 5', '1e3', '0x10', null, true, [5], {}),
);
const scope = fc.oneof(fc.string(), fc.constantFrom('', 'read write', null, 7, [], 'a\nb', 'ü'));
const members = fc.record(
  {
    access_token: token,
    token_type: type,
    expires_in: lifetime,
    scope,
    refresh_token: fc.constantFrom('r', '', 7, null),
    error: fc.constantFrom('invalid_client', 7),
    __proto__: fc.constant({ access_token: 'a' }),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ['access_token', 'token_type'] },
);
const partial = fc.record(
  { access_token: token, token_type: type, expires_in: lifetime, error: fc.string(), scope },
  { requiredKeys: [] },
);
const status = fc.oneof(
  { weight: 8, arbitrary: fc.constant(200) },
  fc.constantFrom(201, 202, 204, 206, 301, 302, 400, 401, 403, 404, 429, 500, 503),
);
const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('application/json', 'application/json;charset=UTF-8') },
  fc.constantFrom('text/plain', 'text/html', 'application/jwt', ''),
);
const made = fc
  .record({
    status,
    contentType,
    members: fc.oneof({ weight: 3, arbitrary: members }, { weight: 1, arbitrary: partial }),
  })
  .map((reply) => ({ ...reply, body: JSON.stringify(reply.members) }));

test('accepts and rejects as oauth4webapi does, but for the differences named here', async () => {
  const used = { both: 0, neither: 0, looser: new Set<string>(), stricter: new Set<string>() };
  await fc.assert(
    fc.asyncProperty(made, async (reply) => {
      const [their, our] = [await theirs(reply), ours(reply)];
      // What both read is the JSON: NaN has become null on the way.
      const seen = JSON.parse(JSON.stringify(reply.members)) as Members;
      if (their === our) {
        used[our ? 'both' : 'neither']++;
        return;
      }
      const named = Object.entries(our ? LOOSER : STRICTER).filter(([, holds]) => holds(reply, seen));
      for (const [name] of named) used[our ? 'looser' : 'stricter'].add(name);
      expect(named, `${our ? 'we' : 'they'} alone accept ${JSON.stringify(reply)}`).not.toEqual([]);
    }),
    { numRuns: 5000 },
  );
  // The replies were not all of one kind, and no difference is named that never shows.
  expect(Math.min(used.both, used.neither)).toBeGreaterThan(200);
  expect([...used.looser].sort()).toEqual(Object.keys(LOOSER).sort());
  expect([...used.stricter].sort()).toEqual(Object.keys(STRICTER).sort());
});
