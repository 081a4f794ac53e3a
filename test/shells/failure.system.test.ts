/** If gwtoken fails, the evaluating shell fails with its exit code, and keeps no token of an earlier call. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatNamed } from '../../src/formats/env-formats';
import { filesIn, fillHostileFolder } from './hostile-folder';
import { envCommand, runScript, type Session, startSession } from './session';
import { missing, SHELLS, type Shell, savedEnvironment } from './shells';

let session: Session;
beforeAll(async () => {
  session = await startSession();
  session.endpoint.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
});

/** A token of an earlier call, which must not be used in place of the one that did not come. */
const STALE = {
  GWTOKEN_ACCESS_TOKEN: 'stale',
  GWTOKEN_TOKEN_TYPE: 'bearer',
  GWTOKEN_EXPIRES_AT: '1',
  GWTOKEN_SCOPE: 'stale',
};

/** Statements that keep the status of what was evaluated, save the environment, and end with that status. */
const ENDINGS: Partial<Record<Shell['format'], (save: string) => string[]>> = {
  sh: (save) => ['status_=$?', save, 'exit "$status_"'],
  fish: (save) => ['set status_ $status', save, 'exit $status_'],
  csh: (save) => ['set status_ = $status', save, 'exit $status_'],
};
/** How the shell is told to end at the first failure; fish cannot be told to. */
const STOPPING: Partial<Record<Shell['format'], { line?: string; args?: string[] }>> = {
  sh: { line: 'set -e' },
  csh: { args: ['-e'] },
};

describe('has the exit code and no variables, in every state of the shell, among files named after the words', () => {
  for (const shell of SHELLS) {
    const failure = formatNamed(shell.format).failure?.(Object.keys(STALE), 4);
    const ending = ENDINGS[shell.format];
    if (failure === undefined || ending === undefined) continue;
    test(shell.name, async ({ needs }) => {
      needs(missing(shell));
      const hostile = join(session.dir, `hostile-${shell.name}`);
      const output = join(session.dir, `failure-${shell.name}`);
      mkdirSync(hostile);
      fillHostileFolder(hostile, [failure]);
      writeFileSync(output, failure);
      const files = filesIn(hostile);
      const saved = join(session.dir, `${shell.name} environment`);
      for (const [state, statements] of Object.entries(shell.states)) {
        for (const [name, context] of Object.entries(shell.contexts)) {
          rmSync(saved, { force: true });
          const lines = [statements, context(`cat '${output}'`), ...ending(shell.save(saved))];
          const result = await runScript(shell, shell.name, lines, session, { cwd: hostile, env: STALE });
          const { code, stdout, stderr } = result;
          expect([state, name, code, stdout + stderr]).toEqual([state, name, 4, '']);
          // Under `set -e` the shell has ended before that.
          expect(existsSync(saved)).toBe(!statements.includes('set -eu'));
          expect(Object.keys(savedEnvironment(saved)).filter((each) => each in STALE)).toEqual([]);
        }
      }
      expect(filesIn(hostile)).toEqual(files);
    });
  }
});

describe('stops the script that wants to be stopped', () => {
  for (const shell of SHELLS) {
    const stopping = STOPPING[shell.format];
    if (!stopping) continue;
    test(shell.name, async ({ needs }) => {
      needs(missing(shell));
      for (const [name, context] of Object.entries(shell.contexts)) {
        const sailed = join(session.dir, `${shell.name} sailed on`);
        const lines = [stopping.line ?? '', context(envCommand(shell, '--regoin eu')), shell.save(sailed)];
        const more = { env: STALE, args: stopping.args ?? [] };
        const result = await runScript(shell, shell.name, lines, session, more);
        expect([name, existsSync(sailed)]).toEqual([name, false]);
        const isRight = (code: unknown) => (ENDINGS[shell.format] ? code === 2 : code !== 0);
        expect(result.code, name).toSatisfy(isRight);
        expect(result.stdout).toBe('');
      }
    });
  }
});

/** What `gwtoken help shells` says is right everywhere in a script, also when there is no gwtoken at all. */
const IDIOMS: Readonly<Record<string, readonly string[]>> = {
  'with a check of the variable': [
    'unset GWTOKEN_ACCESS_TOKEN',
    'eval $(gwtoken env --region eu)',
    `: "$\{GWTOKEN_ACCESS_TOKEN:?}"`,
  ],
  'in two steps under set -e': ['set -e', 'o=$(gwtoken env --region eu)', 'eval "$o"'],
  'a token in a variable': ['T=$(gwtoken get --region eu) || exit; export T'],
};

describe('the idioms of the topic stop a script', () => {
  for (const shell of SHELLS) {
    if (shell.format !== 'sh') continue;
    test(shell.name, async ({ needs }) => {
      needs(missing(shell));
      for (const [name, lines] of Object.entries(IDIOMS)) {
        for (const path of [session.env['PATH'] ?? '', '/usr/bin:/bin']) {
          const script = [...lines, 'echo sailed on'];
          const result = await runScript(shell, shell.name, script, session, {
            env: { ...STALE, PATH: path },
          });
          expect([name, result.stdout]).toEqual([name, '']);
          expect(result.code).not.toBe(0);
        }
      }
    });
  }
});
