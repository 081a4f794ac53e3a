/** Waits for every default limit at once, which takes a minute. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFaultServer } from '../harness/endpoints/fault-server';
import { startCommandHome } from '../harness/homes/command-home';
import { openDirectory } from '../harness/homes/directory';
import { startKeyring } from '../harness/keyrings/keyring';
import { startKWallet } from '../harness/keyrings/kwallet';
import { runProgram } from '../harness/programs/program';
import { openGwtoken } from '../harness/programs/terminal';
import { CLIENT, ITEM, LOGIN, run, SETTINGS } from '../system/keychain/keychain-runs';

type Env = Readonly<Record<string, string>>;

/** Time for the start and end of all programs at once on a busy machine. */
const SLACK_MS = 9000;

test('each default limit ends its wait in time', { timeout: 120_000 }, async ({ needs }) => {
  needs('keyring', 'KWallet');
  // gwtoken kills only the shell. The sleep lives on and must not hold the test's pipe.
  const command = await startCommandHome('sleep 100 2>/dev/null');
  const silent = (await startFaultServer({})).url;
  const keyring = await startKeyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
  const wallet = await startKWallet();
  await Promise.all([run(LOGIN, wallet.env), wallet.answer('unlock')]);
  await wallet.lock();
  const helpers = openDirectory();
  writeFileSync(join(helpers, 'dbus-send'), '#!/bin/sh\nexec sleep 100\n');
  chmodSync(join(helpers, 'dbus-send'), 0o755);
  const stuckHelper = { PATH: `${helpers}:${process.env['PATH']}`, GWTOKEN_REGION: 'us' };

  const alone = async (env: Env) => {
    const { code, stderr, ms } = await runProgram(['get', '--no-cache'], {
      env,
      detached: true,
      timeoutMs: 100_000,
    });
    return { code, said: stderr, ms };
  };
  const onTerminal = async (env: Env) => {
    const startedAt = performance.now();
    const terminal = openGwtoken(['get', '--no-cache'], { env });
    const { code } = await terminal.exit;
    return { code, said: terminal.screen(), ms: performance.now() - startedAt };
  };
  const inVariables = {
    HOME: helpers,
    ...SETTINGS,
    GWTOKEN_CLIENT_ID: 'a',
    GWTOKEN_CLIENT_SECRET: 'b',
    GWTOKEN_AUTH_URL: silent,
  };
  const { GWTOKEN_RETRIES: _, ...withRetries } = inVariables;

  /** Name, run, exit code, limit in seconds, and a part of the output. */
  const limits = [
    ['a command', alone(command.env), 5, 10, 'the credential command did not finish within 10 s'],
    [
      'a command with a person',
      onTerminal(command.env),
      5,
      60,
      'the credential command did not finish within 1 min',
    ],
    ['a keychain', alone({ ...SETTINGS, ...wallet.env }), 5, 10, 'the keychain is locked'],
    ['a keychain with a person', onTerminal({ ...SETTINGS, ...wallet.env }), 5, 60, 'the keychain is locked'],
    ['an attempt', alone(inVariables), 6, 10, 'did not answer within 10 s'],
    ['all attempts', alone(withRetries), 6, 30, 'did not answer (3 attempts in 30 s)'],
    ['a helper', alone({ ...SETTINGS, ...keyring.env, ...stuckHelper }), 4, 5, 'no credentials found'],
  ] as const;

  const ends = await Promise.all(
    limits.map(async ([name, running, code, seconds, words]) => {
      const end = await running.catch((error: Error) => ({ code: null, said: error.message, ms: 0 }));
      const isInTime = end.ms > seconds * 1000 - 1500 && end.ms < seconds * 1000 + SLACK_MS;
      const isRight = end.code === code && isInTime && end.said.includes(words);
      return isRight ? name : `${name}: ${JSON.stringify(end)}`;
    }),
  );
  expect(ends).toEqual(limits.map(([name]) => name));
});
