/** What doctor says of the way to an endpoint is what get meets there: the same sentence, hints and exit code. */
import { expect, type TestContext, test } from 'vitest';
import { cleaningUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { BAD_PROXIES } from '../system/wire/bad-proxies';
import { BAD_TLS } from '../system/wire/bad-tls';
import { BROKEN_CONNECTIONS } from '../system/wire/broken-connections';
import { SECRET, type WireCase } from '../system/wire/scene';
import { parseDoctor } from './report-schemas';

const authority = makeAuthority();

/** One for each sentence and each step of the way; the others say them again. */
const NAMES = [
  'an unknown authority',
  'an intermediate that is left out',
  'expired',
  'the wrong host',
  'the endpoint requires a client certificate',
  'TLS 1.1 alone',
  'a host name that the server does not know',
  'http where https was meant',
  'silence in the handshake',
  'a CA file that is not there',
  "the system's roots: SSL_CERT_FILE",
  'proxy: with a user name and a password',
  'proxy: 407 without credentials',
  'proxy: 407 with wrong credentials',
  'proxy: 407 with Negotiate only',
  'proxy: a password with a slash',
  'proxy: 403',
  'proxy: refused',
  'proxy: silent',
  'proxy: closes the connection',
  'proxy: speaks no HTTP',
  'proxy: an https: proxy of the wrong name',
  'refused',
  'black hole: no SYN is answered',
  'accepted, then silence',
  'closed without a reply',
  'no HTTP: another protocol speaks first',
  'headers of 100 KB',
];
const CASES = NAMES.map((name) => {
  const found = [...BAD_TLS, ...BAD_PROXIES, ...BROKEN_CONNECTIONS].find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case is called ${name}`);
  return found;
});

/** Runs gwtoken where the case is set up anew: some of its servers count. */
async function meet(command: readonly string[], each: WireCase) {
  const { authUrl, args = [], env } = await each.set(authority);
  const home = openHome({ ...inVariables(authUrl, { clientId: 'a', clientSecret: SECRET }), ...env });
  return home.gwtoken([...command, '--timeout', each.waits ? '5s' : '30s', ...args]);
}

/** Each run has ports of its own, get asks for the token endpoint, and closed or reset is often a matter of chance. */
function comparable(text: string): string {
  return text
    .replaceAll(/:\d{2,5}\b/g, ':PORT')
    .replace('PORT/oauth2/token', 'PORT/')
    .replace(/\b(closed|reset)\b/, 'closed or reset');
}

async function agree(each: WireCase, { skip }: TestContext): Promise<void> {
  skip(each.needs !== undefined, each.needs);
  const [got, looked] = await cleaningUp(() =>
    Promise.all([meet(['get', '--retries', '0'], each), meet(['doctor', '--json', '--region', 'eu'], each)]),
  );
  const message = /^gwtoken: error: (.*)$/m.exec(got.stderr)?.[1] ?? '';
  const hints = [...got.stderr.matchAll(/^hint: (.*)$/gm)].map(([, hint]) => hint);
  const said = { message, hints, exit_code: got.code };
  const { checks } = parseDoctor(looked.stdout);
  const [failed] = checks.filter(({ section, result }) => section === 'region eu' && result === 'failed');
  const found = failed && { message: failed.message, hints: failed.hints, exit_code: failed.exit_code };
  expect(comparable(JSON.stringify(found) ?? 'fine')).toBe(
    got.code === 0 ? 'fine' : comparable(JSON.stringify(said)),
  );
}

test.for(CASES.filter(({ waits }) => !waits))('doctor and get agree: $name', agree);
test.concurrent.for(CASES.filter(({ waits }) => waits))('doctor and get agree: $name', agree);
