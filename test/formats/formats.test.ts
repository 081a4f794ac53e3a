import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENV_FORMATS } from '../../src/flags';
import { failureOutput } from '../../src/formats/env';
import { formatNamed } from '../../src/formats/table';

const visible = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 80,
});
const set = (format: string, value: string | undefined) =>
  formatNamed(format, 'the test').set([{ name: 'N', value }]);

describe('what is printed, by rules, where the shell itself cannot be run on every machine', () => {
  test('sh: nothing that a shell splits, globs or expands before eval parses it', () => {
    const statement =
      /^N=('[A-Za-z0-9_./@+=%,-]+'|"`printf %[1-9][0-9]*s`"|"`printf '(\\[0-7]{3})+'`"|'')+;export N;\n$/;
    fc.assert(
      fc.property(visible, (value) => statement.test(set('sh', value))),
      { numRuns: 2000 },
    );
    expect(set('sh', 'read *')).toBe('N=\'read\'"`printf %1s`""`printf \'\\052\'`";export N;\n');
  });

  test('powershell: one single-quoted text, read back by its rule, in ASCII', () => {
    fc.assert(
      fc.property(visible, (value) => {
        const [, quoted = ''] = /^\$env:N = '((?:[^']|'')*)'\n$/.exec(set('powershell', value)) ?? [];
        return quoted.replaceAll("''", "'") === value;
      }),
      { numRuns: 2000 },
    );
    expect(set('powershell', undefined)).toBe('Remove-Item Env:N -ErrorAction SilentlyContinue\n');
    const longest = 'a'.repeat(32_766);
    expect(set('powershell', longest)).toBe(`$env:N = '${longest}'\n`);
    expect(() => set('powershell', `${longest}a`)).toThrow(
      'cannot pass N unchanged: its value is too long for a Windows environment variable',
    );
  });

  test('fish: exported and global, never a universal variable, which would lie on the disk', () => {
    expect(set('fish', 'a%b')).toBe('set -gx N a\\X25b;\n');
    expect(set('fish', '')).toBe("set -gx N '';\n");
    expect(set('fish', undefined)).toBe('set -eg N; or true;\n');
  });

  test('cmd: plain characters alone, on a line that cmd.exe can read', () => {
    expect(set('cmd', 'eyJ.x-y_z+/=~ @:,')).toBe('SET "N=eyJ.x-y_z+/=~ @:,"\n');
    expect(set('cmd', undefined)).toBe('SET "N="\n');
    for (const char of '"%!^&|<>()\'*?;`$#[]{}\\') {
      expect(() => set('cmd', `a${char}b`)).toThrow(
        'cannot pass N unchanged: its value contains a character that cmd.exe may alter',
      );
    }
    expect(set('cmd', 'a'.repeat(8182))).toHaveLength(8191);
    expect(() => set('cmd', 'a'.repeat(8183))).toThrow(
      'is too long for cmd.exe (limit: 8191 characters a line)',
    );
  });

  test('json and nu: one object, null for what has no value', () => {
    for (const format of ['json', 'nu']) {
      const { set, unset } = formatNamed(format, 'the test');
      const text = set([
        { name: 'A', value: '"\\' },
        { name: 'B', value: undefined },
      ]);
      expect(text).toBe('{"A":"\\"\\\\","B":null}\n');
      expect(unset(['A'])).toBe('{"A":null}\n');
    }
  });
});

describe('every format', () => {
  test.for(ENV_FORMATS)('%s refuses what is no token, and does not repeat it', (format) => {
    const cases = {
      'a newline': 'one\ntwo',
      NUL: 'one\0two',
      'a carriage return': 'one\rtwo',
      'non-ASCII': 'tökén',
      'longer than 32 KiB': 'a'.repeat(33 * 1024),
    };
    for (const [problem, value] of Object.entries(cases)) {
      let message = '';
      try {
        set(format, value);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toMatch(/^cannot pass N unchanged: its value (contains|is) /);
      expect(message).toContain(problem);
      expect(message).not.toMatch(/one|two|t.k.n|aaaa/);
    }
  });

  test.for(ENV_FORMATS)('%s prints ASCII lines that end with LF', (format) => {
    const { set, unset, failure } = formatNamed(format, 'the test');
    const variables = [
      { name: 'A_SCOPE', value: undefined },
      { name: 'A_ACCESS_TOKEN', value: 'plain token' },
    ];
    const canUnset = !['dotenv', 'docker', 'github-output'].includes(format);
    const texts = [set(variables), canUnset ? unset(['A', 'B']) : '\n', failure?.(['A', 'B'], 4) ?? '\n'];
    for (const text of texts) {
      expect(text).toMatch(/^([\x20-\x7e]*\n)+$/);
    }
  });

  test('there is one for each reader, and an unknown one is refused by name', () => {
    expect(ENV_FORMATS).toEqual([
      ...['sh', 'fish', 'csh', 'powershell', 'cmd', 'nu', 'elvish', 'json', 'dotenv', 'docker'],
      ...['github-env', 'github-output', 'azure'],
    ]);
    expect(() => formatNamed('yaml', '--format')).toThrow('unknown format "yaml" (from --format)');
    expect(() => formatNamed('toString', '--format')).toThrow('unknown format');
  });

  test.for([
    ...(['bash', 'zsh', 'ksh', 'dash'] as const).map((shell) => [shell, 'sh'] as const),
    ...([
      ['tcsh', 'csh'],
      ['pwsh', 'powershell'],
      ['nushell', 'nu'],
    ] as const),
  ])('%s means %s, at a failure too', ([shell, format]) => {
    expect(set(shell, 'x y')).toBe(set(format, 'x y'));
    expect(failureOutput(['env', '--format', shell], 4)).toBe(failureOutput(['env', '--format', format], 4));
  });
});

describe('the failing statement', () => {
  const names = 'GWTOKEN_ACCESS_TOKEN GWTOKEN_TOKEN_TYPE GWTOKEN_EXPIRES_AT GWTOKEN_SCOPE';
  const sh = (code: number, of = names) => `unset ${of};sh -c "exit ${code}";\n`;

  test('takes format and prefix from what can be recognised', () => {
    expect(failureOutput(['env', '--regoin', 'eu'], 2)).toBe(sh(2));
    expect(failureOutput(['env', '--prefix', 'EU_', '--bogus'], 2)).toBe(
      sh(2, names.replaceAll('GWTOKEN_', 'EU_')),
    );
    expect(failureOutput(['env', '--prefix=US_'], 6)).toBe(sh(6, names.replaceAll('GWTOKEN_', 'US_')));
    expect(failureOutput(['env', '--prefix', '1;rm -rf /'], 2)).toBe(sh(2));
    expect(failureOutput(['env', '--format', 'bash'], 2)).toBe(sh(2));
    expect(failureOutput(['env', '--format'], 2)).toBe(sh(2));
    expect(failureOutput(['env', '--format=fish'], 5)).toMatch(
      /^(set -eg GWTOKEN_\w+; or true;\n){4}sh -c "exit 5";\n$/,
    );
    expect(failureOutput(['env', '--format', 'csh'], 5)).toMatch(
      /^(unsetenv GWTOKEN_\w+;\n){4}sh -c "exit 5";\n$/,
    );
  });

  test('powershell throws, cmd ends with the code, and both remove the variables', () => {
    expect(failureOutput(['env', '--format', 'powershell'], 4)).toBe(
      `Remove-Item ${names.replaceAll('GWTOKEN_', 'Env:GWTOKEN_').replaceAll(' ', ',')} -ErrorAction SilentlyContinue\nthrow 'gwtoken failed (exit code 4)'\n`,
    );
    expect(failureOutput(['env', '--format', 'cmd'], 4)).toMatch(
      /^(SET "GWTOKEN_\w+="\n){4}cmd \/d \/c exit 4\n$/,
    );
  });

  test('is nothing where printing nothing is what fails', () => {
    for (const format of ['nu', 'elvish', 'json'])
      expect(failureOutput(['env', '--format', format], 4)).toBe('');
  });
});
