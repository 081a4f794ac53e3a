/** The names of the formats. The formats are loaded when one is used: their code costs time at each start. */
import { usage } from '../errors';
import { quoted } from '../text';

/** The formats of `gwtoken env`, in the order of the help; each has a row in env-output.ts. */
export const ENV_FORMATS = [
  'sh',
  'fish',
  'csh',
  'powershell',
  'json',
  'dotenv',
  'docker',
  'github-env',
  'github-output',
  'azure',
] as const;

export type EnvFormat = (typeof ENV_FORMATS)[number];

/** Returns the format of that name; an unknown one is a `usage` error. */
export function formatAmong<T>(formats: Readonly<Record<string, T>>, name: string): T {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format) return format;
  throw usage(
    `unknown format ${quoted(name)} (from --format)`,
    `use one of: ${Object.keys(formats).join(', ')}`,
  );
}

/** Returns JSON on one line, and an LF. `##` is escaped: no text of the endpoint is a CI system's command. */
export function jsonText(value: object): string {
  return `${JSON.stringify(value).replaceAll('##', '#\\u0023')}\n`;
}
