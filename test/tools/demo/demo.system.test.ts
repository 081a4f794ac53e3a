import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../harness/homes/folder';
import { missing } from '../../harness/needs';
import { openSession } from './session';

/** Starts the demo as `npm run demo` does, with a temporary folder of its own: what is left there is found. */
function startDemo(env: Readonly<Record<string, string>> = {}) {
  const temporary = openFolder();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.mjs')], {
    env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return { child, text, ended, left: () => readdirSync(temporary) };
}

describe('the demo', () => {
  test('plays to its end with a keychain, and leaves nothing', async ({ skip }) => {
    const reason = process.platform === 'linux' ? missing('keyring') : undefined;
    skip(reason !== undefined, reason);
    const demo = startDemo();
    expect(await demo.ended).toEqual({ code: 0, signal: null });
    expect(demo.text.stderr).toBe('');
    expect(demo.text.stdout).toMatch(
      /gwtoken login --region eu .*\nCredentials verified and stored in the keychain as demo-/,
    );
    expect(demo.text.stdout).toMatch(/all as expected\. Everything was cleaned up\.\n$/);
    expect(demo.left()).toEqual([]);
  });

  test('says that there is no keychain, and plays with variables', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Linux: elsewhere the keychain is part of the system');
    const bin = join(openFolder(), 'bin');
    mkdirSync(bin);
    for (const program of ['sh', 'env']) symlinkSync(`/bin/${program}`, join(bin, program));
    const demo = startDemo({ PATH: bin });
    expect(await demo.ended).toEqual({ code: 0, signal: null });
    expect(demo.text.stderr).toBe('');
    expect(demo.text.stdout).toContain('No keychain for the demo here (needs Debian: gnome-keyring');
    expect(demo.text.stdout).toMatch(/\$ export GWTOKEN_CLIENT_SECRET_EU=\S+\n/);
    expect(demo.text.stdout).not.toContain('gwtoken login');
    expect(demo.left()).toEqual([]);
  });

  test('interrupted, dies of the signal and leaves nothing either', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs signals: Windows ends a process without telling it');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const demo = startDemo();
      demo.child.stdout.on('data', () => {
        if (demo.text.stdout.includes('--format json')) demo.child.kill(signal);
      });
      expect(await demo.ended).toEqual({ code: null, signal });
      expect(demo.text.stdout).not.toContain('Everything was cleaned up');
      expect(demo.left()).toEqual([]);
    }
  });
});

describe('a line of the demo', () => {
  const session = openSession(
    process.platform === 'win32' ? 'powershell' : 'sh',
    { ...process.env } as never,
    () => {},
  );

  test('is right when code and both streams are', async () => {
    await session.run('echo right', { stdout: 'right\n' });
    await session.run('exit 3', { code: 3 });
  });

  test('fails the demo when one of them is not', async () => {
    await expect(session.run('echo wrong', { stdout: 'right\n' })).rejects.toThrow(
      '"echo wrong" printed "wrong\\n" on stdout, expected "right\\n"',
    );
    await expect(session.run('echo more')).rejects.toThrow('on stdout');
    await expect(session.run("node -e 'console.error(1)'", { stderr: /2/ })).rejects.toThrow('on stderr');
    await expect(session.run('exit 3')).rejects.toThrow('"exit 3" exited with 3, expected 0');
  });

  test('is not run any more once the session is stopped', async () => {
    const stopped = openSession('sh', { PATH: process.env['PATH'] ?? '' }, () => {});
    stopped.stop();
    await expect(stopped.run('echo late', { stdout: 'late\n' })).rejects.toThrow('interrupted');
  });
});
