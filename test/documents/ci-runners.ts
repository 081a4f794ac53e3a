/** The steps that each CI system makes of its example in `gwtoken help ci`: shell, options and variables. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { READERS } from '../formats/readers';
import type { ProgramResult } from '../harness/programs/program';

type Variables = Readonly<Record<string, string>>;

export interface Job {
  /** What the job starts in, with what was checked out. */
  readonly dir: string;
  /** What the release's page says. */
  readonly release: { readonly RELEASE: string; readonly SHA256: string };
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Step {
  readonly words: readonly string[];
  readonly env: () => Variables;
  readonly cwd?: string;
  readonly done?: (result: ProgramResult) => void;
}

export type Runner = (example: string, job: Job) => readonly Step[];

const variablesOf = ({ authUrl, clientId, clientSecret }: Job): Variables => ({
  GWTOKEN_AUTH_URL: authUrl,
  GWTOKEN_CLIENT_ID: clientId,
  GWTOKEN_CLIENT_SECRET: clientSecret,
});

/** Puts values in the place of expressions; there is none without a value. */
function filled(env: Variables | undefined, expression: RegExp, values: Variables): Variables {
  const fill = (text: string) =>
    String(text).replace(expression, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${name} has no value`);
      return value;
    });
  return Object.fromEntries(Object.entries(env ?? {}).map(([name, text]) => [name, fill(text)]));
}

/** `run` without a shell: `bash -e`. */
export const github: Runner = (example, job) => {
  const { deploy } = parse(example).jobs;
  const { GWTOKEN_AUTH_URL, ...secrets } = variablesOf(job);
  const sources = (context: string, values: Variables) =>
    Object.entries(values).map(([name, value]) => [`${context}.${name}`, value]);
  const values = Object.fromEntries([
    ...sources('vars', { ...job.release, GWTOKEN_AUTH_URL: GWTOKEN_AUTH_URL! }),
    ...sources('secrets', secrets),
  ]);
  const temporary = join(job.dir, '.runner-temp');
  mkdirSync(temporary);
  return deploy.steps
    .filter(({ run }: { run?: string }) => run !== undefined)
    .map(({ run, env }: { run: string; env?: Variables }) => ({
      words: ['bash', '-e', '-c', run],
      env: () => ({
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        RUNNER_TEMP: temporary,
        ...filled({ ...deploy.env, ...env }, /\$\{\{ ([\w.]+) \}\}/g, values),
      }),
    }));
};

/** All lines in one shell. The project's variables, which each of them sees, override those of the file. */
export const gitlab: Runner = (example, job) => {
  const { variables, before_script: before, script } = parse(example).deploy;
  const words = ['bash', '-eo', 'pipefail', '-c', [...before, ...script].join('\n')];
  return [{ words, env: () => ({ ...variables, ...job.release, ...variablesOf(job) }) }];
};

/** The Bash task. Every variable but the secret ones is in the environment, with its name in capitals. */
export const azure: Runner = (example, job) => {
  const pipeline: Record<string, string> = { ...variablesOf(job) };
  return parse(example).steps.map(({ bash, env }: { bash: string; env?: Variables }) => ({
    words: ['bash', '--noprofile', '--norc', '-c', bash],
    env: () => ({ TF_BUILD: 'True', ...job.release, ...filled(env, /\$\((\w+)\)/g, pipeline) }),
    done({ stdout }: ProgramResult) {
      const commands = stdout.split('\n').filter((line) => line.startsWith('##vso'));
      const set = READERS['azure']?.['the agent']?.(commands.join('\n')) ?? [];
      Object.assign(pipeline, Object.fromEntries(set));
    },
  }));
};

/** `sh`: `sh -xe`; of Groovy no more than the example has, strings in single quotes. */
export const jenkins: Runner = (example, job) => {
  const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, ...found]) => found);
  const [outside = '', inside = ''] = example.split('withCredentials');
  const named = (kind: string) => matches(inside, new RegExp(`${kind}Variable: '(\\w+)'`, 'g'))[0]?.[0] ?? '';
  const environment = Object.fromEntries(matches(outside, /^ +(\w+) = '([^'\\]*)'$/gm));
  const env = { ...environment, ...job.release, GWTOKEN_AUTH_URL: job.authUrl };
  const credentials = { [named('username')]: job.clientId, [named('password')]: job.clientSecret };
  const steps = (text: string, given: Variables): Step[] =>
    matches(text, /^ +sh '([^'\\]*)'$/gm).map(([script = '']) => ({
      words: ['sh', '-xe', '-c', script],
      env: () => ({ ...env, ...given }),
    }));
  return [...steps(outside, {}), ...steps(inside, credentials)];
};

export const circleci: Runner = (example, job) => {
  const { deploy } = parse(example).jobs;
  const bashEnv = join(job.dir, '.bash-env');
  writeFileSync(bashEnv, '');
  const own = { CIRCLECI: 'true', BASH_ENV: bashEnv, ...job.release, ...variablesOf(job) };
  return deploy.steps
    .filter((step: string | { run: string }) => step !== 'checkout')
    .map(({ run }: { run: string }, index: number) => {
      // With -c bash would take the socket that is its stdin here for ssh's, and not source $BASH_ENV.
      const file = join(job.dir, `.step-${index}`);
      writeFileSync(file, run);
      const words = ['bash', '-eo', 'pipefail', file];
      return { words, env: () => ({ ...own, ...deploy.environment }) };
    });
};

interface Container {
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly envFrom?: readonly object[];
  readonly env?: readonly {
    readonly name: string;
    readonly value: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly key: string } };
  }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

/** The pod's containers, one after the other, in a folder that stands for their file system. */
export const kubernetes: Runner = (example, job) => {
  const { volumes, initContainers, containers } = parse(example).spec;
  const all: readonly Container[] = [...initContainers, ...containers];
  const inside = (path: string) => path.replace(/^\/(opt|run)\//, `${job.dir}/$1/`);
  const secrets: Variables = { 'client-id': job.clientId, 'client-secret': job.clientSecret };
  for (const { name, mountPath } of all.flatMap(({ volumeMounts }) => volumeMounts)) {
    mkdirSync(inside(mountPath), { recursive: true });
    if (volumes.find((volume: { name: string }) => volume.name === name).secret)
      for (const [key, value] of Object.entries(secrets)) writeFileSync(join(inside(mountPath), key), value);
  }
  return all.map(({ command, args = [], env = [], envFrom = [], workingDir }) => {
    const sources = env.map(({ name, value, valueFrom }) => [
      name,
      valueFrom
        ? secrets[valueFrom.secretKeyRef.key]
        : inside(value).replace('https://identity.example.com', job.authUrl),
    ]);
    return {
      words: [...command, ...args].map(inside),
      env: () => ({ ...(envFrom.length > 0 ? job.release : {}), ...Object.fromEntries(sources) }),
      ...(workingDir === undefined ? {} : { cwd: inside(workingDir) }),
    };
  });
};
