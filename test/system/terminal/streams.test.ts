import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { openSession, type Session } from '../../harness/homes/session';
import { GWTOKEN_SH, inherited } from '../../harness/programs/program';

const client = { clientId: 'id', clientSecret: 'secret' };

describe.concurrent('the standard streams', () => {
  let identity: IdentityServer;
  let session: Session;
  beforeAll(async () => {
    identity = await startIdentityServer({ region: 'eu', clients: [client] });
    session = openSession();
  });
  afterAll(async () => {
    session.remove();
    await identity.close();
  });

  /** Runs a line of bash in which `gwtoken` is the program; resolves with what it printed. */
  const bash = (line: string) =>
    new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
      const define = `gwtoken() { ${GWTOKEN_SH} "$@"; }; `;
      const child = spawn('bash', ['-c', define + line], {
        env: {
          ...inherited(),
          ...session.env,
          GWTOKEN_REGION: 'eu',
          GWTOKEN_AUTH_URL: identity.authUrl,
          GWTOKEN_CLIENT_ID: client.clientId,
          GWTOKEN_CLIENT_SECRET: client.clientSecret,
        },
      });
      const out = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (text) => (out[name] += text));
      child.once('error', reject).once('close', () => resolve(out));
    });

  test.for([
    ['set -o pipefail; gwtoken get --no-cache | head -c0; echo $?', '141\n', /^$/],
    ['set -o pipefail; gwtoken --help | head -c0; echo $?', '141\n', /^$/],
    ['set -o pipefail; gwtoken config path | head -c0; echo $?', '141\n', /^$/],
    [
      'gwtoken get --no-cache >/dev/full; echo $?',
      '1\n',
      /^gwtoken: error: [^\n]+ENOSPC[^\n]*\nhint: [^\n]+\n$/,
    ],
    ['gwtoken --version >/dev/full; echo $?', '1\n', /^gwtoken: error: [^\n]+\nhint: [^\n]+\n$/],
    ['gwtoken get --bad 2>/dev/full; echo $?', '2\n', /^$/],
    ['gwtoken get --no-cache >&-; echo $?', '0\n', /^$/],
    ['gwtoken get --bad 2>&-; echo $?', '2\n', /^$/],
    ['FORCE_COLOR=1 gwtoken get --bad; echo $?', '2\n', /^gwtoken: .\[31merror:.\[39m /],
    ['FORCE_COLOR=1 NO_COLOR=1 gwtoken get --bad; echo $?', '2\n', /^gwtoken: error: /],
  ] as const)('%s', async ([line, stdout, stderr], { skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: bash and /dev/full');
    const result = await bash(line);
    expect(result.stdout).toBe(stdout);
    expect(result.stderr).toMatch(stderr);
  });

  test('help and version are answers: on stdout, code 0, also after a command', async () => {
    for (const args of [['--help'], ['-h'], ['get', '--help'], ['config', 'set', '-h'], []]) {
      const { code, stdout, stderr } = await session.gwtoken(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: gwtoken /);
    }
    for (const args of [['--version'], ['get', '--version'], ['config', 'get', '--version']])
      expect(await session.gwtoken(args)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
        stderr: '',
      });
  });

  test('--verbose tells the settings with their sources, and never the secret', async () => {
    const { code, stderr } = await session.gwtoken(['get', '-v', '--timeout', '20s', '--no-cache'], {
      env: {
        GWTOKEN_REGION: 'eu',
        GWTOKEN_AUTH_URL: identity.authUrl,
        GWTOKEN_CLIENT_ID: client.clientId,
        GWTOKEN_CLIENT_SECRET: client.clientSecret,
      },
    });
    expect(code).toBe(0);
    for (const line of [
      'gwtoken: profile: default (default)',
      'gwtoken: environment: production (default)',
      'gwtoken: region: eu (GWTOKEN_REGION)',
      `gwtoken: auth URL: ${identity.authUrl} (GWTOKEN_AUTH_URL)`,
      'gwtoken: time limit: 20 s (--timeout)',
      'gwtoken: cache: off (--no-cache)',
    ])
      expect(stderr).toContain(`${line}\n`);
    expect(stderr).toMatch(/^(gwtoken: [^\n]+\n)+$/);
    expect(stderr).not.toContain('secret\n');
  });
});
