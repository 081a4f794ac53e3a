/** The spinner appears only on a terminal, and leaves nothing behind. */
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';

const LABEL = 'requesting a token';
const TOKEN = 'the_token-that-is-printed';
const ERASED = '\r\x1b[K';

describe('the spinner', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  beforeEach(async ({ needs }) => {
    needs('posix');
    endpoint = await startTokenEndpoint(() => tokenReply(TOKEN));
    home = openHome({ ...inVariables(endpoint.authUrl), GWTOKEN_NO_CACHE: '1' });
  });
  /** Returns the lines that stay on the terminal: the text of each line after it was last erased. */
  const shown = (raw: string) => raw.split('\r\n').map((line) => line.split(ERASED).at(-1));

  test('appears while stdout is a pipe, and disappears before the token is printed', async () => {
    const answer = endpoint.hold();
    const wrapper = ['sh', '-c', 'token=$("$@"); echo "$token"', '-'];
    const terminal = home.terminal(['get'], { env: { CI: 'false' }, wrapper });
    await terminal.waitFor(LABEL);
    answer();
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(shown(terminal.raw())).toEqual([TOKEN, '']);
  });

  test('is erased before another line is written', async () => {
    endpoint.delayMs = 500;
    endpoint.answer = (post) => (post === 1 ? { status: 503, body: {} } : tokenReply(TOKEN));
    const terminal = home.terminal(['get', '--verbose', '--retries', '1']);
    await terminal.waitFor(LABEL);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    const lines = shown(terminal.raw());
    expect(lines).toContainEqual(expect.stringMatching(/^gwtoken: attempt 1 of 2 failed/));
    expect(lines.filter((line) => !line?.startsWith('gwtoken: '))).toEqual([TOKEN, '']);
  });

  test('does not appear in a pipe, in CI, with TERM=dumb or in a background job', async () => {
    endpoint.delayMs = 700;
    const onTerminal = async (more: Parameters<Home['terminal']>[1]) => {
      const terminal = home.terminal(['get'], more);
      await terminal.exit;
      return terminal.raw();
    };
    const written = await Promise.all([
      home.gwtoken(['get']).then(({ stdout, stderr }) => stdout + stderr),
      onTerminal({ env: { CI: 'true' } }),
      onTerminal({ wrapper: ['sh', '-c', 'TERM=dumb exec "$@"', '-'] }),
      onTerminal({ wrapper: ['bash', '-c', 'set -m; exec 3>&2 2>/dev/null; "$@" 2>&3 & wait', '-'] }),
    ]);
    for (const text of written) expect(text).toMatch(new RegExp(`^${TOKEN}\\r?\\n$`));
  });

  test('lets one Ctrl-C end gwtoken and the shell loop around it', async () => {
    endpoint.hold();
    const script = 'while :; do "$@"; echo "ended $?"; done; echo after';
    const terminal = home.terminal(['get'], { wrapper: ['bash', '-c', script, '-'] });
    await terminal.waitFor(LABEL);
    terminal.type('\x03');
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(terminal.screen()).not.toContain('ended');
  });
});
