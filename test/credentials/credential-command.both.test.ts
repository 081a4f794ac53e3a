/** The credential command as the system's shell runs it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { SECRET } from '../harness/homes/canary';
import { expectNoSecret, putAnswer, startCommandHome } from '../harness/homes/command-home';

describe('the credential command', () => {
  beforeEach(({ needs }) => needs('posix'));

  test('provides credentials with special characters unchanged', async () => {
    const { dir, gwtoken, identity } = await startCommandHome('set -- answer; cat "$HOME/../$1"');
    putAnswer(dir, '\ufeff  ', '\r\n');
    const { code, stdout, stderr } = await gwtoken(['get', '-v']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${identity.issued[0]}\n` });
    const form = new URLSearchParams(identity.requests[0]!.body);
    expect(form.get('client_id')).toBe('from-command');
    expect(form.get('client_secret')).toBe(SECRET);
    expectNoSecret(dir, stderr, stdout);
  });

  test('shows its stderr once, but not its stdout, if it fails', async () => {
    const { dir, gwtoken } = await startCommandHome(
      'cat "$HOME/../answer" >&2; cat "$HOME/../answer"; exit 1',
    );
    putAnswer(dir);
    const { code, stdout, stderr } = await gwtoken(['get', '-v']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('gwtoken: error: the credential command exited with code 1 (from ');
    expect(stderr.match(/canary-secret/gi)).toHaveLength(1);
    expectNoSecret(dir);
  });

  test('does not delay gwtoken if it starts an agent that holds its stdout', async () => {
    const { dir, gwtoken, identity } = await startCommandHome('sleep 20 2>/dev/null & cat "$HOME/../answer"');
    putAnswer(dir);
    const { code, stdout, stderr } = await gwtoken(['get']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${identity.issued[0]}\n`, stderr: '' });
  });
});
