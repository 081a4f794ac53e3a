/** Texts from the endpoint, made safe to show. */
import { cleaned } from '../text';

export type Json = Readonly<Record<string, unknown>>;

/** Returns the `error` in a reply and the server's reason, without texts that repeat the secret. */
export function errorWords(json: Json, secret: string): string {
  const parts = [json['error'], reasonIn(json)].flatMap((part) => shownText(part, secret) ?? []);
  return [...new Set(parts)].join(': ');
}

/** Names of members with a reason, those that explain most first. */
const REASON_NAMES = [
  /^((developer|error|err|http|user)_?)?(description|message|msg|summary)$|^faultstring$/i,
  /^details?$/i,
  /^(errors?|fault|title)$/i,
];
/** Names of members that contain such members, or a list of them or of texts. */
const AROUND_REASONS = /^(details?|errors?|fault|message)$/i;

/** Returns the server's reason: `error_description`, or else the first text of a member with such a name. */
function reasonIn(json: Json): string | undefined {
  const members = membersIn(json, 'error').filter(([, text]) => text.trim() !== '' && text !== json['error']);
  const named = (names: RegExp): string | undefined => members.find(([name]) => names.test(name))?.[1];
  return named(/^error_description$/) ?? REASON_NAMES.map(named).find((text) => text !== undefined);
}

/** Returns the texts in the value of a member, with their names. Others may be tokens or personal data. */
function membersIn(value: unknown, name: string, depth = 4): (readonly [name: string, text: string])[] {
  if (typeof value === 'string') return [[name, value]];
  if (!AROUND_REASONS.test(name) || !(value instanceof Object) || depth === 0) return [];
  const isArray = Array.isArray(value);
  return Object.entries(value).flatMap(([key, each]) => membersIn(each, isArray ? name : key, depth - 1));
}

/** Returns the text on one line of 200 characters at most; undefined if empty or with the secret in it. */
export function shownText(text: unknown, secret: string): string | undefined {
  if (typeof text !== 'string') return undefined;
  const whole = cleaned(text, Number.POSITIVE_INFINITY);
  if (whole === '' || [...new Set([text, whole])].some((each) => containsSecret(each, secret)))
    return undefined;
  return cleaned(text);
}

/**
 * Returns whether the secret is in the text, which may repeat the request: plain, in another case, percent-
 * or form-encoded, in base64 or hex, or in one of these inside another (gateways pass bodies on in base64).
 */
export function containsSecret(text: string, secret: string): boolean {
  const wanted = secret.toLowerCase();
  const contains = (reading: string): boolean => reading.toLowerCase().includes(wanted);
  // Most decodings are random bytes. An encoded secret is a run of ASCII, at least as long as the secret.
  const run = new RegExp(`[\\x20-\\x7e]{${Math.min(secret.length, 16)}}`);
  return (
    contains(text) ||
    decodings(text).some((inner) => contains(inner) || (run.test(inner) && decodings(inner).some(contains)))
  );
}

function decodings(text: string): string[] {
  const base64 = text.replace(/[^\w+/-]/g, '');
  const hex = text.replace(/[^0-9a-f]/gi, '');
  const decoded = [
    fromPercent(text),
    fromPercent(text.replaceAll('+', ' ')),
    // The encoded secret may start at any digit.
    ...[0, 1, 2, 3].map((start) => String(Buffer.from(base64.slice(start), 'base64'))),
    ...[0, 1].map((start) => String(Buffer.from(hex.slice(start), 'hex'))),
  ];
  return decoded.filter((each) => each !== text);
}

function fromPercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    String(Buffer.from(bytes.replaceAll('%', ''), 'hex')),
  );
}
