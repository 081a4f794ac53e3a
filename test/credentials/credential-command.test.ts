import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client';
import { commandEnv } from '../../src/credentials/from-command';
import { answer, CANARY, expectNoCanary, printing, startPlace } from '../harness/homes/command-place';
import { keyringAvailable, startKeyring } from '../harness/keyrings/keyring';
import { GWTOKEN_SH } from '../harness/programs/program';

const onPosix = process.platform === 'win32' ? 'needs a POSIX shell' : undefined;

describe('the credential command', () => {
  test('gives the credentials, also ones with odd characters, and the endpoint takes them', async ({
    skip,
  }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, gwtoken, identity } = await startPlace('set -- answer; cat "$HOME/../$1"');
    printing(dir, `\ufeff  ${answer()}\r\n`);
    const got = await gwtoken(['get']);
    expect(got).toMatchObject({ code: 0, stderr: '', stdout: `${identity.issued[0]}\n` });
    const form = new URLSearchParams(identity.requests[0]!.body);
    expect(form.get('client_id')).toBe('from-command');
    expect(form.get('client_secret')).toBe(CANARY);

    const traced = await gwtoken(['get', '--no-cache', '-v']);
    expect(traced.stderr).toContain('credentials from credential-command in ');
    expectNoCanary(dir, traced.stderr, traced.stdout);
  });

  test('comes after the variables and before the keychain', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, gwtoken } = await startPlace('touch "$HOME/ran"; exit 9', { 'keychain-timeout': '5s' });
    const pair = { GWTOKEN_CLIENT_ID: 'other', GWTOKEN_CLIENT_SECRET: 'wrong' };
    const variables = await gwtoken(['get'], { env: pair });
    expect(variables.code).toBe(3);
    expect(existsSync(join(dir, 'home', 'ran'))).toBe(false);

    // A profile named by flag skips the variables.
    const flagged = await gwtoken(['get', '--profile', 'default'], { env: pair });
    expect(flagged).toMatchObject({ code: 5, stdout: '' });
    expect(flagged.stderr).toContain(
      'the credential command exited with code 9 (from credential-command in ',
    );
    expect(existsSync(join(dir, 'home', 'ran'))).toBe(true);
  });

  test('runs with the names of the client and without gwtoken’s own secrets', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, gwtoken } = await startPlace('false', {
      profiles: { acme: { 'credential-command': 'env > "$HOME/seen"', region: 'us' } },
    });
    const given = {
      GWTOKEN_CLIENT_ID: 'x',
      GWTOKEN_CLIENT_SECRET: CANARY,
      VAULT_TOKEN: 'kept',
      GWTOKEN_CACHE_DIR: 'k',
    };
    await gwtoken(['get', '--profile', 'acme', '--sandbox'], { env: given });
    const seen = readFileSync(join(dir, 'home', 'seen'), 'utf8').split('\n');
    expect(seen).toEqual(
      expect.arrayContaining([
        'GWTOKEN_REGION=us',
        'GWTOKEN_SANDBOX=1',
        'GWTOKEN_PROFILE=acme',
        'VAULT_TOKEN=kept',
        // It may change its working directory before it calls gwtoken for another client.
        expect.stringMatching(/^GWTOKEN_CACHE_DIR=\/.*\/k$/),
      ]),
    );
    expect(seen.join('\n')).not.toMatch(/GWTOKEN_CLIENT|canary/);
  });

  const client: Client = { profile: 'default', environment: 'production', region: 'eu' };
  test.each([
    ['GWTOKEN_CLIENT_ID', false],
    ['GWTOKEN_CLIENT_SECRET_EU', false],
    ['GWTOKEN_CLIENT_SECRET_FILE', false],
    ['GWTOKEN_SANDBOX_CLIENT_SECRET_US', false],
    ['gwtoken_client_secret', false],
    ['GWTOKEN_ACCESS_TOKEN', false],
    ['GWTOKEN_CONFIG_DIR', true],
    ['AWS_SECRET_ACCESS_KEY', true],
    ['OP_SERVICE_ACCOUNT_TOKEN', true],
  ])('is given %s: %s', (name, isGiven) => {
    expect(Object.hasOwn(commandEnv(client, { [name]: 'value' }), name)).toBe(isGiven);
    expect(commandEnv(client, {})).toMatchObject({
      GWTOKEN_REGION: 'eu',
      GWTOKEN_SANDBOX: '0',
      GWTOKEN_PROFILE: 'default',
    });
  });

  test('that prints nothing has none: 4, and the keychain is not asked instead', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    for (const command of ['true', 'echo']) {
      const { gwtoken, identity } = await startPlace(command);
      const { code, stdout, stderr } = await gwtoken(['get']);
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toMatch(
        /^gwtoken: error: the credential command returned no credentials for default:production:eu \(from credential-command in .*config\.json\)\nhint: or set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU\n$/,
      );
      expect(identity.requests).toEqual([]);
    }
  });

  test.each([
    ['text', 'canary-s3cret', 'printed output that is not JSON'],
    ['two objects', `${answer()}${answer()}`, 'printed output that is not JSON'],
    ['null', 'null', 'printed output that has no client_id or client_secret'],
    ['half', '{"client_secret":"canary-s3cret"}', 'printed output that has no client_id or client_secret'],
    [
      'an empty secret',
      answer('x', ''),
      'printed output that has a client_id or client_secret that is empty',
    ],
    [
      'a newline',
      answer('x', 'canary-s3cret\n2'),
      'printed output that has a client_id or client_secret that contains a control character',
    ],
    [
      'Latin-1',
      Buffer.from(answer('x', 'canary-s3cret ü'), 'latin1'),
      'printed output that is not UTF-8 text',
    ],
    ['UTF-16', Buffer.from(`\ufeff${answer()}`, 'utf16le'), 'printed output that is not UTF-8 text'],
    ['64 KiB and a byte', answer('x', 'canary-s3cret'.padEnd(64 * 1024, 'x')), 'printed more than 64 KiB'],
  ])('that prints %s: 5, and nothing of it is shown', async (_, text, problem) => {
    const { dir, gwtoken, identity } = await startPlace('');
    const command = process.platform === 'win32' ? `type "${join(dir, 'answer')}"` : printing(dir, text);
    writeFileSync(join(dir, 'answer'), text);
    await gwtoken(['config', 'set', 'credential-command', command]);
    const { code, stdout, stderr } = await gwtoken(['get', '-v']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain(`gwtoken: error: the credential command ${problem}`);
    expect(stderr).toContain('hint: ');
    expect(identity.requests).toEqual([]);
    expectNoCanary(dir, stderr);
  });

  test('may take longer than the endpoint may: it has a limit of its own', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, gwtoken, identity } = await startPlace('sleep 3.5; cat "$HOME/../answer"');
    printing(dir, answer());
    const got = await gwtoken(['get', '--timeout', '1s']);
    expect(got).toMatchObject({ code: 0, stderr: '', stdout: `${identity.issued[0]}\n` });
  });

  test('may print 64 KiB', async () => {
    const { dir, gwtoken, identity } = await startPlace('');
    const text = answer('from-command', 'wrong').padEnd(64 * 1024, ' ');
    await gwtoken(['config', 'set', 'credential-command', printing(dir, text)]);
    expect(await gwtoken(['get'])).toMatchObject({ code: 3, stdout: '' });
    expect(identity.requests).toHaveLength(1);
  });

  test('that fails: 5, with its own stderr as it was and its stdout unseen', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, gwtoken } = await startPlace(
      'echo "vault: sealed, $GWTOKEN_REGION" >&2; cat "$HOME/../answer"; exit 1',
    );
    printing(dir, answer());
    const { code, stdout, stderr } = await gwtoken(['get']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(
      /^vault: sealed, eu\ngwtoken: error: the credential command exited with code 1 .*\nhint: to see the command, run: gwtoken config get credential-command\n/,
    );
    expectNoCanary(dir, stderr);

    const missing = await startPlace('no-such-program-here get secret');
    const notFound = await missing.gwtoken(['get']);
    expect(notFound.code).toBe(5);
    expect(notFound.stderr).toMatch(/no-such-program-here.*not found[\s\S]*exited with code 127/);

    const killed = await startPlace('kill -SEGV $$');
    expect((await killed.gwtoken(['get'])).stderr).toContain('was killed by SIGSEGV');
  });

  test('that writes the secret to stderr: it passes through once and is never repeated', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, gwtoken } = await startPlace('cat "$HOME/../answer" >&2; exit 1');
    printing(dir, answer());
    const { stderr } = await gwtoken(['get', '-v']);
    expect(stderr.split('canary-s3cret')).toHaveLength(2);
    expectNoCanary(dir);
  });

  test('that asks gwtoken for its own client ends at once', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { gwtoken } = await startPlace(`${GWTOKEN_SH} get --no-cache`);
    const { code, stderr } = await gwtoken(['get', '--no-cache']);
    expect(code).toBe(5);
    expect(stderr).toContain(
      'the credential command for default:production:eu calls gwtoken for the same client (an endless loop)',
    );
    expect(stderr).not.toContain('did not finish');
  });

  test('hides what login stores, and login says so', async ({ skip }) => {
    const reason = keyringAvailable();
    skip(reason !== undefined, reason);
    const keyring = await startKeyring({ state: 'unlocked' });
    const { gwtoken, env: own } = await startPlace('exit 9');
    const env = { ...keyring.env, ...own };
    const login = ['login', '--client-id', 'from-command', '--secret-stdin', '--no-verify'];
    const stored = await gwtoken(login, { env, stdin: CANARY });
    expect(stored.code).toBe(0);
    expect(stored.stderr).toMatch(
      /\ngwtoken: warning: credential-command in .* overrides the stored credentials\n/,
    );
    expect(await gwtoken(['get'], { env })).toMatchObject({ code: 5, stdout: '' });
  });
});
