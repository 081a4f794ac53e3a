import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { openSession, type Session } from '../../harness/homes/session';
import { GWTOKEN, type Words } from '../../harness/programs/program';
import { openTerminal, type Terminal } from '../../harness/programs/terminal';

const LABEL = 'asking for a token';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

describe.skipIf(process.platform === 'win32')('the spinner', () => {
  let identity: IdentityServer;
  let session: Session;
  let env: Record<string, string>;
  const terminals: Terminal[] = [];
  beforeAll(async () => {
    identity = await startIdentityServer({
      region: 'eu',
      clients: [{ clientId: 'id', clientSecret: 'secret' }],
    });
    session = openSession();
    env = {
      ...session.env,
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL: identity.authUrl,
      GWTOKEN_CLIENT_ID: 'id',
      GWTOKEN_CLIENT_SECRET: 'secret',
      GWTOKEN_NO_CACHE: '1',
    };
  });
  afterEach(async () => {
    identity.delayMs = 0;
    identity.hang = false;
    await Promise.all(terminals.splice(0).map((terminal) => terminal.close()));
  });
  afterAll(async () => {
    session.remove();
    await identity.close();
  });
  const open = ([command, ...args]: Words, more: Record<string, string> = {}) => {
    const terminal = openTerminal(command, args, { env: { ...env, ...more } });
    terminals.push(terminal);
    return terminal;
  };

  test('appears when it takes longer than 300 ms, and is erased before the token is printed', async () => {
    identity.delayMs = 1000;
    const terminal = open([...GWTOKEN, 'get']);
    await terminal.waitFor(LABEL);
    expect(terminal.raw()).toContain(HIDE_CURSOR);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    const raw = terminal.raw();
    const after = raw.slice(raw.lastIndexOf(LABEL) + LABEL.length);
    // To the first column, and the line erased from there: nothing of it is left when the token comes.
    const erased = after.indexOf('\x1b[1G\x1b[0K');
    expect(erased).toBeGreaterThanOrEqual(0);
    expect(erased).toBeLessThan(after.indexOf(identity.issued.at(-1)!));
    expect(after).toContain(SHOW_CURSOR);
    expect(after.trimEnd().endsWith(identity.issued.at(-1)!)).toBe(true);
  });

  test('does not appear when it is quick, in a pipe, under CI, or on a dumb terminal', async () => {
    const started = performance.now();
    const quick = open([...GWTOKEN, 'get']);
    expect(await quick.exit).toEqual({ code: 0, signal: null });
    // On a machine that is busy with other things it may not have been quick.
    if (performance.now() - started < 300) expect(quick.raw()).toBe(`${identity.issued.at(-1)}\r\n`);

    identity.delayMs = 700;
    const shown = await Promise.all([
      session.gwtoken(['get'], { env }).then(({ stdout, stderr }) => stdout + stderr),
      (async () => {
        const terminal = open([...GWTOKEN, 'get'], { CI: 'true' });
        await terminal.exit;
        return terminal.raw();
      })(),
      (async () => {
        const terminal = open(['sh', '-c', 'TERM=dumb exec "$@"', '-', ...GWTOKEN, 'get']);
        await terminal.exit;
        return terminal.raw();
      })(),
    ]);
    for (const text of shown) expect(text).toMatch(/^[\w-]{20,}\r?\n$/);
  });

  test.for(['false', '0', ''])('appears under CI=%s, which is no CI', async (CI) => {
    identity.delayMs = 1000;
    const terminal = open([...GWTOKEN, 'get'], { CI });
    await terminal.waitFor(LABEL);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.raw()).toContain(HIDE_CURSOR);
    expect(terminal.raw().trimEnd().endsWith(identity.issued.at(-1)!)).toBe(true);
  });

  test('shows in the terminal while stdout is piped away', async () => {
    identity.delayMs = 1000;
    const terminal = open([
      'sh',
      '-c',
      'token=$("$@"); echo "got $(printf %s "$token" | wc -c)"',
      '-',
      ...GWTOKEN,
      'get',
    ]);
    await terminal.waitFor(LABEL);
    await terminal.waitFor(/got [2-9]\d/);
  });

  test('one Ctrl-C ends the program by SIGINT and the loop around it, and the cursor is back', async () => {
    identity.hang = true;
    const script = 'while :; do "$@"; echo "ended $?"; done; echo after';
    const terminal = open(['bash', '-c', script, '-', ...GWTOKEN, 'get']);
    await terminal.waitFor(LABEL);
    terminal.type('\x03');
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(terminal.screen()).not.toContain('ended');
    const raw = terminal.raw();
    expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf(HIDE_CURSOR));
  });

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends the program of that signal, the cursor back',
    async (signal) => {
      identity.hang = true;
      const terminal = open([...GWTOKEN, 'get']);
      await terminal.waitFor(LABEL);
      process.kill(terminal.pid, signal);
      expect(await terminal.exit).toEqual({ code: null, signal });
      const raw = terminal.raw();
      expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf(HIDE_CURSOR));
    },
  );
});
