/** doctor shows at its step what get fails with on a real way: the same sentence, hints and exit code. */
import { expect, type TestContext, test } from 'vitest';
import { cleaningUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { BAD_PROXIES } from '../system/wire/bad-proxies';
import { BAD_TLS } from '../system/wire/bad-tls';
import { BROKEN_CONNECTIONS } from '../system/wire/broken-connections';
import { SECRET, type WireCase } from '../system/wire/scene';
import { parseDoctor } from './reports';

const authority = makeAuthority();

/** The step that fails in each of these; none if get works. */
const CASES = (
  [
    ['an unknown authority', 'TLS'],
    ['the wrong host', 'TLS'],
    ['http where https was meant', 'TLS'],
    ['silence in the handshake', 'TLS'],
    ['a CA file that is not there', 'TLS'],
    ["the system's roots: SSL_CERT_FILE", undefined],
    ['proxy: with a user name and a password', undefined],
    ['proxy: 407 without credentials', 'proxy'],
    ['proxy: refused', 'TCP'],
    ['proxy: silent', 'proxy'],
    ['proxy: an https: proxy of the wrong name', 'proxy'],
    ['refused', 'TCP'],
    ['black hole: no SYN is answered', 'TCP'],
    ['accepted, then silence', 'reply'],
    ['no HTTP: another protocol speaks first', 'reply'],
  ] as const
).map(([name, step]) => {
  const found = [...BAD_TLS, ...BAD_PROXIES, ...BROKEN_CONNECTIONS].find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case is called ${name}`);
  return { ...found, step };
});

/** Runs gwtoken where the case is set up anew: some of its servers count. */
async function meet(command: readonly string[], each: WireCase) {
  const { authUrl, args = [], env } = await each.set(authority);
  const home = openHome({ ...inVariables(authUrl, { clientId: 'a', clientSecret: SECRET }), ...env });
  return home.gwtoken([...command, '--retries', '0', '--timeout', each.waits ? '5s' : '30s', ...args]);
}

/** Each run has ports of its own, and closed or reset is often a matter of chance. */
function comparable(text: string): string {
  return text.replaceAll(/:\d{2,5}\b/g, ':PORT').replace(/\b(closed|reset)\b/, 'closed or reset');
}

async function agree(each: (typeof CASES)[number], { needs }: TestContext): Promise<void> {
  needs(each.needs);
  const [got, looked] = await cleaningUp(() =>
    Promise.all([meet(['get'], each), meet(['doctor', '--json'], each)]),
  );
  const [, message = ''] = /^gwtoken: error: (.*)$/m.exec(got.stderr) ?? [];
  const hints = [...got.stderr.matchAll(/^hint: (.*)$/gm)].map(([, hint]) => hint);
  const { checks } = parseDoctor(looked.stdout);
  const failed = checks.filter(({ result }) => result === 'failed');
  const found = failed.map((check) => [check.name, check.message, check.hints, check.exit_code]);
  const said = each.step === undefined ? [] : [[each.step, message, hints, got.code]];
  expect(comparable(JSON.stringify(found))).toBe(comparable(JSON.stringify(said)));
}

test.for(CASES.filter(({ waits }) => !waits))('doctor and get agree: $name', agree);
test.concurrent.for(CASES.filter(({ waits }) => waits))('doctor and get agree: $name', agree);
