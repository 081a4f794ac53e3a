/**
 * `gwtoken exec -- COMMAND` beside `env VARIABLE=… COMMAND`: the same line of bash, run with one and with the
 * other, has the same output and exit code.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { type Home, startClientHome } from '../harness/homes/home';
import { GWTOKEN_SH, runCommand } from '../harness/programs/program';

let home: Home;
beforeAll(async () => {
  home = await startClientHome(() => tokenReply('the-token'));
  const put = (name: string, content: string, mode = 0o755) =>
    writeFileSync(join(home.dir, name), content, { mode });
  put('file', 'a line\n', 0o644);
  mkdirSync(join(home.dir, 'bin'));
  put('bin/plain', 'echo "plain $0 $*"; exit 3\n');
  put('bin/script', '#!/bin/sh\necho "script $*"\n');
  put('bin/no-interpreter', '#!/no/such/interpreter\n');
  put('bin/not-executable', '#!/bin/sh\n', 0o644);
  mkdirSync(join(home.dir, 'bin/directory/script'), { recursive: true });
  // Empty, because a user who is not root cannot remove what such a directory contains.
  mkdirSync(join(home.dir, 'locked'), { mode: 0 });
});

/** The variables that exec sets, and those that it removes. */
const ENV =
  '/usr/bin/env -u GWTOKEN_CLIENT_ID -u GWTOKEN_CLIENT_SECRET GWTOKEN_ACCESS_TOKEN=the-token GWTOKEN_TOKEN_TYPE=bearer';

/** Runs a line of bash with `RUN` replaced. A line must not depend on files that an earlier run left. */
async function outcome(line: string, run: string) {
  const script = line.replaceAll('RUN', run).trim();
  const { code, signal, stdout, stderr } = await runCommand(['bash', '-c', script], {
    env: { ...home.env, LC_ALL: 'C.UTF-8' },
    cwd: home.dir,
  });
  return { code, signal, stdout, stderr };
}

const SITUATIONS: Readonly<Record<string, readonly string[]>> = {
  'descriptors that words name': [
    "RUN sh -c 'cat $1 $2 $3' - <(echo x) <(echo y) /proc/self/fd/5 5<file",
    'RUN tee >(cat >&2) <file; sleep 0.1',
    'RUN cat /dev/fd/100; echo $?',
    `zsh -fc "RUN cat <(echo x) <(echo y)"`,
  ],
  'the caller’s own lock': [
    'exec 9>lock; flock 9; RUN flock -n lock true; echo $?; exec 9>&-; RUN flock -n lock echo free',
  ],
  'how the program is found': [
    "RUN bin/../bin/plain a 'b c' ''",
    'PATH=bin:$PATH RUN plain x',
    'cd bin; PATH=/nowhere:$PWD/../file:$PWD/../locked:$PWD/directory: RUN script x',
    'unset PATH; RUN cat /proc/self/cmdline',
  ],
  'arguments and variables': [
    "RUN printf '%s|' '' 'a b' '*' '$(id)' $'a\\n' '\ufffd' -- --help -v | od -An -tx1",
    "X='' env 'a.b=1' 'BASH_FUNC_f%%=() { :; }' RUN env | grep -v -e ^GWTOKEN_EXPIRES_AT= -e ^_= | sort",
  ],
  'exit codes': [
    "trap '' CHLD; RUN sh -c 'exit 255'; echo $?",
    'set -o pipefail; RUN yes | head -n 1; echo $?',
  ],
  surroundings: [
    '{ RUN true; cat; } <file',
    `umask 027; ulimit -c 0; cd bin; nice -n 3 RUN sh -c 'cat; umask; ulimit -c; pwd; nice; echo err >&2
      ps -o pgid= -p $$ | tr -d " " | grep -cx $1' - $(ps -o pgid= -p $$) <../file`,
  ],
};

describe.each(Object.entries(SITUATIONS))('exec behaves like env: %s', (_, lines) => {
  test.each(lines)('%s', async (line) => {
    expect(await outcome(line, `${GWTOKEN_SH} exec --`)).toEqual(await outcome(line, ENV));
  });
});

describe('exec exits with 127 or 126 as bash does', () => {
  test.each([
    'PATH=$PWD/locked:$PWD/file:$PATH RUN no-such-command',
    'PATH=$PWD/bin:$PATH RUN directory',
    'PATH=$PWD/bin:$PATH RUN not-executable',
    'PATH=$PWD/bin:$PATH RUN no-interpreter',
    'RUN file/x',
  ])('%s', async (line) => {
    const [ours, expected] = [await outcome(line, `${GWTOKEN_SH} exec --`), await outcome(line, '')];
    expect(ours.code).toBe(expected.code);
    expect(ours).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^gwtoken: error: [^()]+\n/) });
  });
});
