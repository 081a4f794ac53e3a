/** Texts from the endpoint, made safe to show. */
import { foreign } from '../text';

const LIMIT = 200;

/**
 * Returns the text on one line of 200 characters at most; undefined if that contains the secret or a part of
 * it, in any case or common encoding: an endpoint could send back its request.
 */
export function showable(text: unknown, secret: string): string | undefined {
  if (typeof text !== 'string') return undefined;
  const clean = foreign(text);
  const characters = [...clean];
  const shown = characters.length > LIMIT ? `${characters.slice(0, LIMIT).join('')}…` : clean;
  return shown === '' || holds(shown, secret) ? undefined : shown;
}

/** A text is withheld if it has this many characters of the secret in a row, or all of a shorter one. */
const PART = 8;

function holds(text: string, secret: string): boolean {
  // A lone surrogate cannot be encoded, and was sent as U+FFFD.
  const parts = [secret, String(Buffer.from(secret))].map(folded).flatMap(partsOf);
  return readings(text)
    .map(folded)
    .some((reading) => parts.some((part) => reading.includes(part)));
}

function partsOf(secret: string): string[] {
  const count = Math.max(1, secret.length - PART + 1);
  return Array.from({ length: count }, (_, start) => secret.slice(start, start + PART));
}

/** Returns the text without case, blanks and accents' spellings, in which a repetition may differ. */
function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{C}]/gu, '');
}

/** Decoders of the escapes in URLs, forms, HTML, JSON and programs, and of base64 and hexadecimal. */
const DECODERS: readonly ((text: string) => string)[] = [
  fromPercent,
  (text) => fromPercent(text.replaceAll('+', ' ')),
  (text) =>
    text
      .replace(/&#(?:(\d{1,7})|x([0-9a-f]{1,6}));?/gi, (_, decimal = '', hex = '') =>
        character(decimal === '' ? Number.parseInt(hex, 16) : Number(decimal)),
      )
      .replace(/&(amp|lt|gt|quot|apos);/gi, (_, name: string) => NAMED[name.toLowerCase()] ?? ''),
  (text) =>
    text.replace(
      /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|[nrt]|(["'\\/]))/gi,
      (_, four, braced, two, itself) => itself ?? character(Number.parseInt(four ?? braced ?? two, 16)),
    ),
  // UTF-8 in a header, which Node reads as Latin-1.
  (text) => String(Buffer.from(text, 'latin1')),
  // The encoded secret may begin at any digit, and anything that is no digit may stand between them.
  ...[0, 1, 2, 3].map((start) => (text: string) => bytesOf(text.replace(/[^\w+/-]/g, ''), start, 'base64')),
  ...[0, 1].map((start) => (text: string) => bytesOf(text.replace(/\b0x|[^0-9a-f]/gi, ''), start, 'hex')),
];
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns the text as it is, with one kind of escapes decoded, and with two, one after the other. */
function readings(text: string): string[] {
  const once = DECODERS.map((decode) => decode(text)).filter((reading) => reading !== text);
  return [text, ...once, ...once.flatMap((reading) => DECODERS.map((decode) => decode(reading)))];
}

function bytesOf(digits: string, start: number, encoding: 'base64' | 'hex'): string {
  return String(Buffer.from(digits.slice(start), encoding));
}

function fromPercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    String(Buffer.from(bytes.replaceAll('%', ''), 'hex')),
  );
}

/** Returns the character of a code; two halves of a surrogate pair, written one by one, join again. */
function character(code: number): string {
  return code > 0xffff && code <= 0x10ffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}
