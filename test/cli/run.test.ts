/** Output that all commands share: errors, their details, and broken streams. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { failWith } from '../../src/cli/run';
import { GwtokenError } from '../../src/errors';
import { ReaderGone } from '../../src/signals';
import { type Inside, inside } from '../harness/homes/in-process';
import { PLAIN } from '../harness/homes/plain-terminal';

let gw: Inside;
beforeEach(() => {
  gw = inside();
});

test('an error shows control characters in a directory name as escapes', async ({ needs }) => {
  needs('posix');
  const directory = `${gw.config}/a\nb\x1b[2J`;
  const shown = `${gw.config}/a\\u000ab\\u001b[2J`;
  gw.env['GWTOKEN_CONFIG_DIR'] = directory;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'config.json');
  writeFileSync(file, '{', { mode: 0o600 });
  expect((await gw.cli(['get'])).stderr).toBe(
    `gwtoken: error: config file ${shown}/config.json is not valid JSON\nhint: fix ${shown}/config.json, or rename it to start without it\n`,
  );
  writeFileSync(file, '{"timeout":"9s"}');
  const { stderr } = await gw.cli(['get', '--verbose']);
  expect(stderr).toContain(`\ngwtoken: timeout: 9 s (timeout in ${shown}/config.json)\n`);
  expect((await gw.cli(['doctor'])).stdout).toContain(`ok   config directory  ${shown}\n`);
});

test('an error has its details only with --verbose', async () => {
  gw.answer = () => {
    throw new GwtokenError('unreached', 'no answer', ['try again'], { detail: 'a\n\x1b[2Jdetail' });
  };
  const get = ['get', '--retries', '0'];
  const shown = 'gwtoken: error: no answer\nhint: try again\n';
  expect((await gw.cli(get)).stderr).toBe(shown);
  const { stderr } = await gw.cli([...get, '--verbose']);
  expect(stderr.endsWith(`\n${shown}gwtoken: a\\u000a\\u001b[2Jdetail\n`)).toBe(true);
});

test('a failed system call is reported in one line, in the words of the system', async () => {
  gw.answer = () => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' });
  };
  const stderr = 'gwtoken: error: EMFILE: too many open files\n';
  expect(await gw.cli(['get'])).toEqual({ code: 1, stdout: '', stderr });
});

/** Makes a stream that adds texts to the list, or throws the error. */
const stream = (to: string[] | Error) => ({
  isTTY: () => false,
  write(text: string) {
    if (to instanceof Error) throw to;
    to.push(text);
  },
});

test('env reports a failure on stderr even if its stdout is broken', async () => {
  for (const broken of [
    new GwtokenError('local', 'cannot write output: no space left on device'),
    new ReaderGone('gone'),
  ]) {
    gw.own = { stdout: stream(broken) };
    expect(await gw.cli(['env', '--region', 'mars'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'gwtoken: error: invalid region "mars" (from --region)\nhint: use eu or us\n',
    });
  }
});

test('env prints its failing statement even if its stderr is broken', async () => {
  const printed: string[] = [];
  const expectStatement = (code: number) =>
    expect(printed.splice(0).join('')).toMatch(
      new RegExp(`^unset GWTOKEN_ACCESS_TOKEN;\n.*\nsh -c "exit ${code}";\n$`, 's'),
    );
  gw.own = { stdout: stream(printed), stderr: stream(new ReaderGone()) };
  expect((await gw.cli(['env', '--region', 'mars'])).code).toBe(2);
  expectStatement(2);
  const world = { terminal: PLAIN, env: {}, platform: 'linux', repository: null, ...gw.own };
  expect(await failWith(['env'], new Error('a bug'), world as never)).toBe(1);
  expectStatement(1);
});

test('the report of a crash names the repository, and contains no client secret', async () => {
  const printed: string[] = [];
  const env = { GWTOKEN_CLIENT_SECRET: 'hush-secret' };
  const streams = { stdout: stream([]), stderr: stream(printed) };
  const world = { terminal: PLAIN, env, platform: 'linux', repository: 'https://git.example/a', ...streams };
  expect(await failWith(['get'], new Error('bad hush-secret'), world as never)).toBe(1);
  expect(printed.join('')).toMatch(
    /^gwtoken: error: .* report it at https:\/\/git.example\/a with .*\nError: bad \*\*\*\n/,
  );
});
