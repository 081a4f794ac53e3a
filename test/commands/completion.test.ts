/** Completion knows all of the grammar. The words at the cursor are in test/sessions/text/completion.txt. */
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/grammar';
import { GET_FORMAT_NAMES } from '../../src/formats/get-formats';
import { configKeys } from '../../src/settings/table';
import { longForm } from '../harness/command-lines';
import { inside } from '../harness/homes/in-process';

test('completion offers every command and flag, and all formats and keys', async () => {
  const words = async (line: string) => {
    const { code, stdout, stderr } = await inside().cli(['complete', '--', ...line.split(' ')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((each) => each.split('\t')[0]);
  };
  expect(await words('')).toEqual(COMMANDS.map(({ name }) => name));
  for (const command of COMMANDS.filter(({ flags }) => flags.length > 0))
    expect(await words(`${command.name} --`)).toEqual(expect.arrayContaining(command.flags.map(longForm)));
  expect(await words('get --format ')).toEqual(GET_FORMAT_NAMES);
  expect(await words('config get ')).toEqual(configKeys());
});

test('completion powershell prints a script that hides errors', async () => {
  const stdout = expect.stringContaining("\n    gwtoken complete '--' @words 2>$null | ");
  const expected = { code: 0, stdout, stderr: '' };
  expect(await inside().cli(['completion', 'powershell'])).toEqual(expected);
});
