/** What the words of all commands have in common: a line each, colours. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { failWith } from '../../src/cli/run';
import { GwtokenError, ReaderGone } from '../../src/errors';
import { parseDoctor } from '../commands/reports';
import { PLAIN } from '../documents/grammar';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(() => {
  gw = inside();
});

describe.skipIf(process.platform === 'win32')('a folder with a line end and an escape in its name', () => {
  let file: string;
  let shown: string;
  beforeEach(() => {
    const folder = `${gw.config}/a\nb\x1b[2J`;
    gw.env['GWTOKEN_CONFIG_DIR'] = folder;
    file = join(folder, 'config.json');
    shown = `${gw.config}/a\\u000ab\\u001b[2J/config.json`;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  });

  test('is one line of an error, and of its hint', async () => {
    writeFileSync(file, '{', { mode: 0o600 });
    expect((await gw.cli(['get'])).stderr).toBe(
      `gwtoken: error: config file ${shown} contains invalid JSON\nhint: fix or delete ${shown}\n`,
    );
  });

  test('is one line of --verbose', async () => {
    writeFileSync(file, '{"timeout":"9s"}', { mode: 0o600 });
    const { stderr } = await gw.cli(['get', '--verbose']);
    expect(stderr).toContain(`\ngwtoken: timeout: 9 s (timeout in ${shown})\n`);
  });

  test('is one line of a check, in JSON too', async () => {
    const { checks } = parseDoctor((await gw.cli(['doctor', '--json'])).stdout);
    expect(checks.find(({ name }) => name === 'config directory')?.message).toBe(
      shown.replace('/config.json', ''),
    );
  });
});

test('the details of an error are for --verbose', async () => {
  gw.answer = () => {
    throw new GwtokenError('unreached', 'no answer', { hints: ['wait'], detail: 'a\n\x1b[2Jdetail' });
  };
  const get = ['get', '--retries', '0'];
  const said = 'gwtoken: error: no answer\nhint: wait\n';
  expect((await gw.cli(get)).stderr).toBe(said);
  const { stderr } = await gw.cli([...get, '--verbose']);
  expect(stderr.endsWith(`\n${said}gwtoken: a\\u000a\\u001b[2Jdetail\n`)).toBe(true);
});

test('a failure is told on stderr also where env cannot print what it does at one', async () => {
  for (const broken of [new GwtokenError('local', 'cannot write output (ENOSPC)'), new ReaderGone('gone')]) {
    gw.own = {
      stdout: {
        isTTY: () => false,
        write() {
          throw broken;
        },
      },
    };
    expect(await gw.cli(['env', '--region', 'mars'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'gwtoken: error: invalid region "mars" (from --region)\nhint: use eu or us\n',
    });
  }
});

test('what env prints at a failure is on stdout also where nobody reads stderr any more', async () => {
  let printed = '';
  const own = {
    stdout: {
      isTTY: () => false,
      write(text: string) {
        printed += text;
      },
    },
    stderr: {
      isTTY: () => false,
      write() {
        throw new ReaderGone();
      },
    },
  };
  gw.own = own;
  const world = { ...own, terminal: PLAIN, env: {}, platform: 'linux' } as never;
  for (const [fail, code] of [
    [() => gw.cli(['env', '--region', 'mars']), 2],
    // Not its error, but a line before it.
    [() => gw.cli(['env', '--verbose']), 141],
    [() => failWith(['env'], new Error('a bug'), false, world), 1],
  ] as const) {
    printed = '';
    await expect(fail()).rejects.toBeInstanceOf(ReaderGone);
    const names = 'GWTOKEN_ACCESS_TOKEN GWTOKEN_TOKEN_TYPE GWTOKEN_EXPIRES_AT GWTOKEN_SCOPE';
    expect(printed).toBe(`unset ${names};sh -c "exit ${code}";\n`);
  }
});

test('an error that nobody reads any more ends it in silence, as any other output does', async () => {
  const write = () => {
    throw new ReaderGone();
  };
  gw.own = { stderr: { isTTY: () => false, write } };
  await expect(gw.cli(['get', '--region', 'mars'])).rejects.toBeInstanceOf(ReaderGone);
});

test('what the completion scripts call is no command without what they add', async () => {
  expect(await gw.cli(['complete', 'zsh'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'gwtoken: error: unknown command "complete"\nhint: did you mean: completion\nhint: for help, run: gwtoken --help\n',
  });
});
