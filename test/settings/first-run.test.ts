import { describe, expect, test } from 'vitest';
import { type Home, openHome } from '../harness/homes/home';
import { keyringAvailable, startKeyring } from '../harness/keyrings/keyring';

/** What a person reads who types `gwtoken get`, line by line. */
async function getIn({ gwtoken }: Home, ...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await gwtoken(['get', ...args]);
  expect({ code: code !== 0, stdout }).toEqual({ code: true, stdout: '' });
  return stderr.trimEnd().split('\n');
}

describe('gwtoken get, the first time', () => {
  test('with nothing set up leads to login', async () => {
    expect(await getIn(openHome())).toEqual([
      'gwtoken: error: no region set',
      'hint: new here? run: gwtoken login',
      'hint: use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu',
    ]);
  });

  test('with a region alone leads to login for that region', async () => {
    expect(await getIn(openHome(), '--region', 'us', '--sandbox')).toEqual([
      'gwtoken: error: no auth URL set for region us',
      'hint: new here? run: gwtoken login --region us --sandbox',
      'hint: run: gwtoken config set auth-url.us https://YOUR-AUTH-URL',
      'hint: or use --auth-url URL, or set GWTOKEN_AUTH_URL_US or GWTOKEN_AUTH_URL',
    ]);
  });

  test('with an address but no credentials leads to login with that address', async ({ skip }) => {
    const reason = keyringAvailable();
    skip(reason !== undefined, reason);
    const keyring = await startKeyring({ state: 'unlocked' });
    const given = ['--region', 'eu', '--auth-url', 'https://id.example.com'];
    expect(await getIn(openHome(keyring.env), ...given)).toEqual([
      'gwtoken: error: no credentials found for default:production:eu',
      'hint: to store credentials, run: gwtoken login --region eu --auth-url https://id.example.com',
      'hint: or set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU',
    ]);
  });

  test('in CI leads to the variables, since nobody can answer there', async () => {
    const [, hint] = await getIn(openHome({ CI: 'true' }));
    expect(hint).toBe('hint: in CI? see: gwtoken help ci');
  });

  test('names that one setting alone once something is set up', async () => {
    const begun = openHome();
    await begun.gwtoken(['config', 'set', 'region', 'eu']);
    expect((await getIn(begun)).join('\n')).not.toContain('new here?');
    const variables = openHome({ GWTOKEN_CLIENT_ID: 'x', GWTOKEN_CLIENT_SECRET: 'y' });
    expect((await getIn(variables)).join('\n')).not.toContain('new here?');
  });
});

describe('what it prints is plain', () => {
  test.each([[['get']], [['--help']], [['status']], [['get', '--region', 'eu']], [['help', 'environment']]])(
    '%j in a pipe: ASCII, and no escape sequence',
    async (args) => {
      const { stdout, stderr } = await openHome().gwtoken(args);
      expect(`${stdout}${stderr}`).toMatch(/^[\n -~]+$/);
    },
  );

  test.for(['NO_COLOR=1', 'TERM=dumb'])('on a terminal with %s', async (variable, { skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX system');
    const { raw, code } = await onTerminal(variable);
    expect(code).toBe(2);
    expect(raw).not.toContain('\x1b');
    expect(raw).toContain('gwtoken: error: no region set\r\nhint: new here?');
  });

  test('and coloured on a terminal that can', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX system');
    expect((await onTerminal('TERM=xterm-256color')).raw).toContain('\x1b[31merror:');
  });
});

async function onTerminal(variable: string): Promise<{ raw: string; code: number | null }> {
  const shown = openHome().terminal(['get'], { wrapper: ['env', variable] });
  const { code } = await shown.exit;
  return { raw: shown.raw(), code };
}
