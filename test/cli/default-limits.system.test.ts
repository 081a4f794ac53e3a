/** Waits for every default limit in both forms at once, which takes a minute. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onCleanup } from '../harness/clean-up';
import { startFaultServer } from '../harness/endpoints/fault-server';
import { startCommandHome } from '../harness/homes/command-home';
import { openDirectory } from '../harness/homes/directory';
import { FORMS, runProgram } from '../harness/programs/program';
import { openGwtoken } from '../harness/programs/terminal';

type Env = Readonly<Record<string, string>>;

const SETTINGS = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'http://127.0.0.1:9', GWTOKEN_RETRIES: '0' };
/** With --verbose, a failure of this test shows the keychain's own message. */
const GET = ['get', '--no-cache', '--verbose'];

test('each default limit ends its wait in time', { timeout: 120_000 }, async ({ needs }) => {
  needs('keyring');
  // gwtoken kills only the shell. The sleep lives on and must not hold the test's pipe.
  const command = await startCommandHome('sleep 100 2>/dev/null');
  const silent = (await startFaultServer({})).url;
  // libsecret connects to this bus, and waits for its first line.
  const HOME = openDirectory();
  const bus = createServer().listen(join(HOME, 'bus'));
  onCleanup(() => bus.close());
  const session = { HOME, DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus.address()}`, DISPLAY: ':0' };
  const inKeychain = { ...SETTINGS, ...session };
  const tooLate = 'the credential command did not finish within';
  const noAnswer = 'the keychain did not answer within';

  const limits = Object.entries(FORMS).flatMap(([form, program]) => {
    const detached = async (env: Env) => {
      const options = { env, program, detached: true, timeoutMs: 100_000 };
      const { code, stderr, ms } = await runProgram(GET, options);
      return { code, output: stderr, ms };
    };
    const onTerminal = async (env: Env) => {
      const startedAt = performance.now();
      const terminal = openGwtoken(GET, { env, program });
      const { code } = await terminal.exit;
      const ms = performance.now() - startedAt;
      return { code, output: terminal.screen(), ms };
    };
    const inVariables = {
      HOME,
      ...SETTINGS,
      GWTOKEN_CLIENT_ID: 'a',
      GWTOKEN_CLIENT_SECRET: 'b',
      GWTOKEN_AUTH_URL: silent,
    };
    const { GWTOKEN_RETRIES: _, ...withRetries } = inVariables;
    const rows = [
      { of: 'a command', running: detached(command.env), seconds: 10, code: 5, says: `${tooLate} 10 s` },
      {
        of: 'a command on a terminal',
        running: onTerminal(command.env),
        seconds: 60,
        code: 5,
        says: tooLate,
      },
      { of: 'a keychain', running: detached(inKeychain), seconds: 10, code: 5, says: `${noAnswer} 10 s` },
      {
        of: 'a keychain on a terminal',
        running: onTerminal(inKeychain),
        seconds: 60,
        code: 5,
        says: noAnswer,
      },
      { of: 'an attempt', running: detached(inVariables), seconds: 10, code: 6, says: 'within 10 s' },
      {
        of: 'all attempts',
        running: detached(withRetries),
        seconds: 30,
        code: 6,
        says: 'did not answer within 30 s (3 attempts)',
      },
    ];
    return rows.map((row) => ({ ...row, of: `${row.of}, ${form}` }));
  });

  const ends = await Promise.all(
    limits.map(async ({ of, running, seconds, code, says }) => {
      const end = await running.catch((error: Error) => ({
        code: null,
        output: error.message,
        ms: 0,
      }));
      // A limit of twice the length would be too late, even if all programs start slowly.
      const isInTime = end.ms >= seconds * 1000 && end.ms < seconds * 1900;
      const isRight = end.code === code && isInTime && end.output.includes(says);
      return isRight ? of : `${of}: ${JSON.stringify(end)}`;
    }),
  );
  expect(ends).toEqual(limits.map(({ of }) => of));
});
