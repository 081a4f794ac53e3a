/** The spinner: when it appears, what it leaves, and that it never appears outside a terminal. */
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPrompts } from '../../../src/system/terminal/prompts';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';

const LABEL = 'requesting a token';
const TOKEN = 'the_token-that-is-printed';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

describe.skipIf(process.platform === 'win32')('the spinner', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint(() => tokenReply(TOKEN));
    home = openHome({ ...inVariables(endpoint.authUrl), GWTOKEN_NO_CACHE: '1' });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('appears when it takes longer than 300 ms, and is erased before the token is printed', async () => {
    const answer = endpoint.hold();
    // Which its package would take for CI.
    const terminal = home.terminal(['get'], { env: { CI: 'false' } });
    await terminal.waitFor(LABEL);
    answer();
    expect(terminal.raw()).toContain(HIDE_CURSOR);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    const raw = terminal.raw();
    const after = raw.slice(raw.lastIndexOf(LABEL) + LABEL.length);
    // To the first column, and the line erased from there: nothing of it is left when the token comes.
    const erased = after.indexOf('\x1b[1G\x1b[0K');
    expect(erased).toBeGreaterThanOrEqual(0);
    expect(erased).toBeLessThan(after.indexOf(TOKEN));
    expect(after).toContain(SHOW_CURSOR);
    expect(after.trimEnd().endsWith(TOKEN)).toBe(true);
  });

  test('waits 300 ms: what is quicker is left alone', async () => {
    vi.useFakeTimers();
    const asTerminal = { isTTY: true, columns: 80, cursorTo: () => true, clearLine: () => true };
    const stderr = Object.assign(new PassThrough(), asTerminal);
    const own = Object.create(process, { stderr: { value: stderr } });
    let listening = 0;
    const onSignals = () => {
      listening++;
      return () => void listening--;
    };
    const { spin } = openPrompts(own, onSignals, false);
    // One chunk a call since Node 26.
    const shown = () => {
      let text = '';
      for (let chunk = stderr.read(); chunk !== null; chunk = stderr.read()) text += chunk;
      return text;
    };
    await spin(LABEL, () => vi.advanceTimersByTimeAsync(299));
    expect([shown(), vi.getTimerCount(), listening]).toEqual(['', 0, 0]);
    await spin(LABEL, () => vi.advanceTimersByTimeAsync(300));
    // In ASCII, since the terminal has no more.
    expect(stripVTControlCharacters(shown())).toContain(`- ${LABEL}`);
    expect([vi.getTimerCount(), listening]).toEqual([0, 0]);
  });

  test('does not appear in a pipe, under CI, or on a dumb terminal', async () => {
    endpoint.delayMs = 700;
    const onTerminal = async (more: Parameters<Home['terminal']>[1]) => {
      const terminal = home.terminal(['get'], more);
      await terminal.exit;
      return terminal.raw();
    };
    const shown = await Promise.all([
      home.gwtoken(['get']).then(({ stdout, stderr }) => stdout + stderr),
      onTerminal({ env: { CI: 'true' } }),
      onTerminal({ wrapper: ['sh', '-c', 'TERM=dumb exec "$@"', '-'] }),
    ]);
    for (const text of shown) expect(text).toMatch(new RegExp(`^${TOKEN}\\r?\\n$`));
  });

  test('shows in the terminal while stdout is piped away', async () => {
    const answer = endpoint.hold();
    const script = 'token=$("$@"); echo "got $(printf %s "$token" | wc -c)"';
    const terminal = home.terminal(['get'], { wrapper: ['sh', '-c', script, '-'] });
    await terminal.waitFor(LABEL);
    answer();
    await terminal.waitFor(/got [2-9]\d/);
  });

  test('one Ctrl-C ends the program and the loop around it, the cursor back', async () => {
    endpoint.hold();
    const script = 'while :; do "$@"; echo "ended $?"; done; echo after';
    const terminal = home.terminal(['get'], { wrapper: ['bash', '-c', script, '-'] });
    await terminal.waitFor(LABEL);
    terminal.type('\x03');
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(terminal.screen()).not.toContain('ended');
    const raw = terminal.raw();
    expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf(HIDE_CURSOR));
  });
});
