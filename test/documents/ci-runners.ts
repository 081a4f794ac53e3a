/**
 * What each CI system makes of its example in `gwtoken help ci`: the steps in their order, each as its runner starts it
 * (which shell, with which options), with the variables that the system gives to it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { READERS } from '../formats/readers';
import { type ProgramResult, runCommand } from '../harness/programs/program';

type Variables = Readonly<Record<string, string>>;

export interface Job {
  /** What the job starts in, with what was checked out. */
  readonly dir: string;
  /** The agent's own environment. */
  readonly env: Variables;
  /** What the release's page says. */
  readonly release: { readonly RELEASE: string; readonly SHA256: string };
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Run {
  /** Of the step that failed, or 0. */
  readonly code: number | null;
  readonly log: string;
  /** Whether a step that downloads had the client secret in its environment. */
  readonly downloadSeesSecret: boolean;
}

/** Runs an example as its system would. */
export type Runner = (example: string, job: Job) => Promise<Run>;

interface Step {
  readonly shell: readonly string[];
  readonly script: string;
  readonly env: () => Variables;
  readonly done?: (result: ProgramResult) => void;
}

/** One after the other, until one fails. */
async function inTurn(steps: readonly Step[], { dir, env, clientSecret }: Job): Promise<Run> {
  let log = '';
  const downloadSeesSecret = steps.some(
    ({ script, env: given }) => script.includes('curl ') && Object.values(given()).includes(clientSecret),
  );
  for (const [index, step] of steps.entries()) {
    const file = join(dir, `.step-${index}`);
    writeFileSync(file, step.script.endsWith('\n') ? step.script : `${step.script}\n`);
    const result = await runCommand([...step.shell, file], { env: { ...env, ...step.env() }, cwd: dir });
    log += result.stdout + result.stderr;
    if (result.code !== 0) return { code: result.code, log, downloadSeesSecret };
    step.done?.(result);
  }
  return { code: 0, log, downloadSeesSecret };
}

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

/** `run` without a shell: `bash -e {0}`. */
export const github: Runner = (example, job) => {
  const { deploy } = parse(example).jobs;
  const values = {
    'vars.RELEASE': job.release.RELEASE,
    'vars.SHA256': job.release.SHA256,
    'vars.GWTOKEN_AUTH_URL': job.authUrl,
    'secrets.GWTOKEN_CLIENT_ID': job.clientId,
    'secrets.GWTOKEN_CLIENT_SECRET': job.clientSecret,
  };
  const temporary = join(job.dir, '.runner-temp');
  mkdirSync(temporary);
  const steps = deploy.steps.filter(({ run }: { run?: string }) => run !== undefined);
  return inTurn(
    steps.map(({ run, env }: { run: string; env?: Variables }) => ({
      shell: ['bash', '-e'],
      script: run,
      env: () => ({
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        RUNNER_TEMP: temporary,
        ...filled({ ...deploy.env, ...env }, /\$\{\{ ([\w.]+) \}\}/g, values),
      }),
    })),
    job,
  );
};

/** All lines in one shell. The project's variables, which each of them sees, override those of the file. */
export const gitlab: Runner = (example, job) => {
  const { variables, before_script: before, script } = parse(example).deploy;
  const env = {
    ...variables,
    ...job.release,
    GWTOKEN_AUTH_URL: job.authUrl,
    GWTOKEN_CLIENT_ID: job.clientId,
    GWTOKEN_CLIENT_SECRET: job.clientSecret,
  };
  const lines = [...before, ...script].join('\n');
  return inTurn([{ shell: ['bash', '-eo', 'pipefail'], script: lines, env: () => env }], job);
};

/** The Bash task. Every variable but the secret ones is in the environment, with its name in capitals. */
export const azure: Runner = (example, job) => {
  const pipeline: Record<string, string> = {
    GWTOKEN_AUTH_URL: job.authUrl,
    GWTOKEN_CLIENT_ID: job.clientId,
    GWTOKEN_CLIENT_SECRET: job.clientSecret,
  };
  return inTurn(
    parse(example).steps.map(({ bash, env }: { bash: string; env?: Variables }) => ({
      shell: ['bash', '--noprofile', '--norc'],
      script: bash,
      env: () => ({ TF_BUILD: 'True', ...job.release, ...filled(env, /\$\((\w+)\)/g, pipeline) }),
      done: ({ stdout }: ProgramResult) => {
        const commands = stdout.split('\n').filter((line) => line.startsWith('##vso'));
        Object.assign(
          pipeline,
          Object.fromEntries(READERS['azure']?.['the agent']?.(commands.join('\n')) ?? []),
        );
      },
    })),
    job,
  );
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
      shell: ['sh', '-xe'],
      script,
      env: () => ({ ...env, ...given }),
    }));
  return inTurn([...steps(outside, {}), ...steps(inside, credentials)], job);
};

export const circleci: Runner = (example, job) => {
  const { deploy } = parse(example).jobs;
  const context = {
    ...job.release,
    GWTOKEN_AUTH_URL: job.authUrl,
    GWTOKEN_CLIENT_ID: job.clientId,
    GWTOKEN_CLIENT_SECRET: job.clientSecret,
  };
  const bashEnv = join(job.dir, '.bash-env');
  writeFileSync(bashEnv, '');
  return inTurn(
    deploy.steps
      .filter((step: string | { run: string }) => step !== 'checkout')
      .map(({ run }: { run: string }) => ({
        shell: ['bash', '-eo', 'pipefail'],
        script: run,
        env: () => ({ CIRCLECI: 'true', BASH_ENV: bashEnv, ...context, ...deploy.environment }),
      })),
    job,
  );
};

/** The pod's containers, one after the other, in a folder that stands for their file system. */
export const kubernetes: Runner = async (example, job) => {
  const { spec } = parse(example);
  const inside = (path: string) => path.replace(/^\/(opt|run)\//, `${job.dir}/$1/`);
  const secrets = { 'client-id': job.clientId, 'client-secret': job.clientSecret };
  for (const { name, secret } of spec.volumes) {
    const mounts = [...spec.initContainers, ...spec.containers].flatMap((each) => each.volumeMounts);
    for (const { mountPath } of mounts.filter((mount) => mount.name === name)) {
      mkdirSync(inside(mountPath), { recursive: true });
      if (secret)
        for (const [key, value] of Object.entries(secrets))
          writeFileSync(join(inside(mountPath), key), value);
    }
  }
  let log = '';
  for (const { command, args = [], env = [], envFrom = [], workingDir } of [
    ...spec.initContainers,
    ...spec.containers,
  ]) {
    const given = env.map(({ name, value, valueFrom }: { name: string; value: string; valueFrom: Ref }) => [
      name,
      valueFrom === undefined
        ? inside(value).replace('https://identity.example.com', job.authUrl)
        : secrets[valueFrom.secretKeyRef.key as keyof typeof secrets],
    ]);
    const result = await runCommand([...command, ...args].map(inside), {
      env: { ...job.env, ...(envFrom.length > 0 ? job.release : {}), ...Object.fromEntries(given) },
      cwd: workingDir === undefined ? job.dir : inside(workingDir),
    });
    log += result.stdout + result.stderr;
    if (result.code !== 0) return { code: result.code, log, downloadSeesSecret: false };
  }
  return { code: 0, log, downloadSeesSecret: false };
};
interface Ref {
  readonly secretKeyRef: { readonly key: string };
}
