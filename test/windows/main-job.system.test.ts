/** The main job on Windows, in Wine: login, token, scripts and logout. */
import { afterAll } from 'vitest';
import { openDirectories } from '../harness/homes/directory';
import { type Computer, playMainJob } from '../sessions/main-job';
import { openWindows, type Windows, windowsPath, windowsUnavailable } from './wine';

let windows: Windows | undefined;
afterAll(() => windows?.close());

const open = async (): Promise<Computer> => {
  const computer = openWindows();
  windows = computer;
  const { dir, env: own } = openDirectories();
  const env = Object.fromEntries(Object.entries(own).map(([name, path]) => [name, windowsPath(path)]));
  return {
    home: {
      dir,
      gwtoken: (args, { stdin = '' } = {}) => computer.gwtoken(args, { env, stdin: String(stdin) }),
    },
    configFile: `${env['XDG_CONFIG_HOME']}\\gwtoken\\config.json`,
    inShell: 'gwtoken help shells',
    lookup: async (account) =>
      (await computer.credentials()).find((each) => each.account === account)?.password,
  };
};

playMainJob(open, windowsUnavailable(), false);
