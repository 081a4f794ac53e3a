/** What doctor says of the way to an endpoint is what get meets there: the same sentence, hints and exit code. */
import { expect, type TestContext, test } from 'vitest';
import { cleaningUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { runProgram } from '../harness/programs/program';
import { BAD_PROXIES } from '../system/wire/bad-proxies';
import { BAD_TLS } from '../system/wire/bad-tls';
import { BROKEN_CONNECTIONS } from '../system/wire/broken-connections';
import { SECRET, type WireCase } from '../system/wire/scene';
import { copy } from './doctor';
import { parseDoctor } from './report-schemas';

const authority = makeAuthority();

/** Runs gwtoken where the case is set up anew: some of its servers count. */
async function meet(command: readonly string[], each: WireCase, limitS: number) {
  const { authUrl, args = [], env } = await each.set(authority);
  const home = openHome({ ...inVariables(authUrl, { clientId: 'a', clientSecret: SECRET }), ...env });
  const options = { program: copy.program, timeoutMs: 30_000 + limitS * 1000 };
  return home.gwtoken([...command, '--timeout', `${limitS}s`, ...args], options);
}

/** In the body of a reply, or in what it says: doctor asks for its headers alone. */
const IN_THE_REPLY = /answered (?!101)\d{3}([ ,]|$)|in the middle of the reply|incomplete reply/;
/** Only a parser of bodies meets these. */
const IN_THE_BODY = ['chunks with a broken size'];
/** Found while the connection is made or just after it, by chance for each of the two: each has a right sentence. */
const BY_CHANCE = ['reset at once'];

/** Each run has ports of its own, get asks for the token endpoint, and closed or reset is often a matter of chance. */
function comparable(text: string): string {
  return text
    .replaceAll(/:\d{2,5}\b/g, ':PORT')
    .replace('PORT/oauth2/token', 'PORT/')
    .replace(/\b(closed|reset)\b/, 'closed or reset');
}

/** What `--version` takes on a quiet machine. */
const QUIET_START_MS = 120;

/** How many times longer that takes just now; at least 1. */
async function stretch(): Promise<number> {
  const { ms } = await runProgram(['--version'], { env: {} });
  return Math.max(1, ms / QUIET_START_MS);
}

const CASES = [...BAD_TLS, ...BAD_PROXIES, ...BROKEN_CONNECTIONS].filter(
  ({ name }) => !BY_CHANCE.includes(name),
);

async function agree(each: WireCase, { skip }: TestContext): Promise<void> {
  skip(each.needs !== undefined, each.needs);
  // Where a limit has to pass, it need only leave time for what comes before, on a busy machine too.
  const limitS = Math.ceil((each.waits ? 3 : 10) * (await stretch()));
  const [got, looked] = await cleaningUp(() =>
    Promise.all([
      meet(['get', '--retries', '0'], each, limitS),
      meet(['doctor', '--json', '--region', 'eu'], each, limitS),
    ]),
  );
  const message = /^gwtoken: error: (.*)$/m.exec(got.stderr)?.[1] ?? '';
  const hints = [...got.stderr.matchAll(/^hint: (.*)$/gm)].map(([, hint]) => hint);
  const said = { message, hints, exit_code: got.code };
  const { checks } = parseDoctor(looked.stdout);
  const [failed] = checks.filter(({ section, result }) => section === 'region eu' && result === 'failed');
  const found = failed && { message: failed.message, hints: failed.hints, exit_code: failed.exit_code };
  const isBeyond =
    got.code === 0 || IN_THE_REPLY.test(message) || IN_THE_BODY.some((name) => each.name.endsWith(name));
  expect(comparable(JSON.stringify(found) ?? 'fine')).toBe(
    isBeyond ? 'fine' : comparable(JSON.stringify(said)),
  );
}

test.for(CASES.filter(({ waits }) => !waits))('$name', agree);
test.concurrent.for(CASES.filter(({ waits }) => waits))('$name', agree);
