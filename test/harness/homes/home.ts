import { CLIENT } from '../endpoints/identity-server';
import { startTokenEndpoint, type TokenEndpoint } from '../endpoints/token-endpoint';
import {
  type ProgramOptions,
  type ProgramResult,
  type RunningProgram,
  runProgram,
  startProgram,
} from '../programs/program';
import { openGwtoken, type Terminal } from '../programs/terminal';
import { inVariables, type Login, loginArgs } from './client';
import { type HomeDirectories, openDirectories } from './directory';

type Env = Readonly<Record<string, string>>;

/** A separate home directory, and gwtoken in it. */
export interface Home extends HomeDirectories {
  /** Runs gwtoken to its end; `env` comes on top of the home's. */
  gwtoken(args: readonly string[], more?: Partial<ProgramOptions>): Promise<ProgramResult>;
  /** Stores a client with `gwtoken login`; rejects if that fails. */
  login(login?: Login): Promise<ProgramResult>;
  /** Starts gwtoken, for a test that acts or sends a signal while it runs. */
  start(args: readonly string[], more?: Partial<ProgramOptions>): RunningProgram;
  /** Runs gwtoken on a new terminal. */
  terminal(args: readonly string[], more?: Partial<Parameters<typeof openGwtoken>[1]>): Terminal;
}

/** Makes an empty home, which the end of the test removes. `env` can be a keyring's, or a client's variables. */
export function openHome(env: Env = {}): Home {
  const directories = openDirectories(env);
  const within = <T extends { readonly env?: Env }>(more: T) => ({
    ...more,
    env: { ...directories.env, ...more.env },
  });
  return {
    ...directories,
    gwtoken: (args, more = {}) => runProgram(args, within(more)),
    async login(login = {}) {
      const stdin = login.clientSecret ?? CLIENT.clientSecret;
      const result = await runProgram(loginArgs(login), { ...within({}), stdin });
      if (result.code !== 0) throw new Error(`gwtoken login: exit code ${result.code}\n${result.stderr}`);
      return result;
    },
    start: (args, more = {}) => startProgram(args, within(more)),
    terminal: (args, more = {}) => openGwtoken(args, within(more)),
  };
}

export interface ClientHome extends Home {
  readonly endpoint: TokenEndpoint;
}

/** Starts an endpoint, and opens a home with a client of it in variables. */
export async function startClientHome(
  answer?: Parameters<typeof startTokenEndpoint>[0],
): Promise<ClientHome> {
  const endpoint = await startTokenEndpoint(answer);
  return { ...openHome(inVariables(endpoint.authUrl)), endpoint };
}
