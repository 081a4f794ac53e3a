/** The built program, evaluated by each shell in each way: a sample of the property test, as a whole. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatNamed } from '../../src/formats/env-formats';
import { filesIn, fillHostileFolder } from './hostile-folder';
import { EU_TOKEN, envCommand, runScript, type Session, startSession, US_TOKEN } from './session';
import { missing, SHELLS, savedEnvironment } from './shells';

let session: Session;
beforeAll(async () => {
  session = await startSession();
});

const ours = (path: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(savedEnvironment(path)).filter(([name]) =>
      /^(EU|US)_(ACCESS_TOKEN|TOKEN_TYPE|EXPIRES_AT|SCOPE)$/.test(name),
    ),
  );

describe('two clients live in one shell, and nothing stays behind', () => {
  for (const shell of SHELLS) {
    test(shell.name, async ({ needs }) => {
      needs(missing(shell));
      const hostile = join(session.dir, `hostile-${shell.name}`);
      mkdirSync(hostile);
      const output = formatNamed(shell.format).set([
        { name: 'EU_ACCESS_TOKEN', value: EU_TOKEN },
        { name: 'US_ACCESS_TOKEN', value: US_TOKEN },
        { name: 'EU_SCOPE', value: 'read  write *' },
      ]);
      fillHostileFolder(hostile, [output]);
      const files = filesIn(hostile);

      const inContext = async (context: (command: string) => string, index: number) => {
        const saved = (step: string): string => join(session.dir, `${shell.name}-${index}-${step}`);
        const lines = [
          context(envCommand(shell, '--region eu --prefix EU_')),
          context(envCommand(shell, '--region us --prefix US_')),
          shell.save(saved('both')),
          context(envCommand(shell, '--region us --prefix EU_')),
          shell.save(saved('replaced')),
          context(envCommand(shell, '--unset --prefix EU_')),
          shell.save(saved('unset')),
        ];
        const result = await runScript(shell, `${shell.name}-${index}`, lines, session, { cwd: hostile });

        expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
        const expiry = expect.stringMatching(/^\d{10}$/);
        const us = { US_ACCESS_TOKEN: US_TOKEN, US_TOKEN_TYPE: 'bearer', US_EXPIRES_AT: expiry };
        const eu = { EU_TOKEN_TYPE: 'bearer', EU_EXPIRES_AT: expiry };
        expect(ours(saved('both'))).toEqual({
          ...us,
          ...eu,
          EU_ACCESS_TOKEN: EU_TOKEN,
          EU_SCOPE: 'read  write *',
        });
        expect(ours(saved('replaced'))).toEqual({ ...us, ...eu, EU_ACCESS_TOKEN: US_TOKEN });
        expect(ours(saved('unset'))).toEqual(us);
      };
      await Promise.all(Object.values(shell.contexts).map((context, index) => inContext(context, index)));
      expect(filesIn(hostile)).toEqual(files);
    });
  }
});
