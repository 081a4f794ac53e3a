/** Texts from the endpoint, made safe to show. */
import { foreign } from '../text';

const LIMIT = 200;

/**
 * Returns the text on one line of 200 characters at most; undefined if it contains the secret, in any case or
 * common encoding: an endpoint could send back its request.
 */
export function showable(text: unknown, secret: string): string | undefined {
  if (typeof text !== 'string') return undefined;
  const clean = foreign(text);
  if (clean === '') return undefined;
  if ([text, clean].some((each) => holds(each, secret))) return undefined;
  const characters = [...clean];
  return characters.length > LIMIT ? `${characters.slice(0, LIMIT).join('')}…` : clean;
}

function holds(text: string, secret: string): boolean {
  // A lone surrogate cannot be encoded, and was sent as U+FFFD.
  const sent = Buffer.from(secret);
  const forms = [secret, String(sent), sent.toString('hex'), ...inBase64(sent)].map(folded);
  return readings(text)
    .map(folded)
    .some((reading) => forms.some((form) => reading.includes(form)));
}

/** Returns a form in which upper and lower case are alike, and the ways to write an accented letter. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Returns the bytes' base64 for each of the three offsets at which they may begin in a longer text. */
function inBase64(bytes: Buffer): string[] {
  const texts = [0, 1, 2].map((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    const text = whole.toString('base64').replaceAll('=', '');
    // The characters at both ends depend on the neighbours too.
    return text.slice(offset === 0 ? 0 : offset + 1, whole.length % 3 === 0 ? undefined : -1);
  });
  return texts.filter((text) => text.length >= 4);
}

/** Decoders of the escapes in URLs and forms, HTML, JSON and programs. */
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
      /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|(["'\\/]))/gi,
      (_, four, braced, two, itself) => itself ?? character(Number.parseInt(four ?? braced ?? two, 16)),
    ),
  // UTF-8 in a header, which Node reads as Latin-1.
  (text) => String(Buffer.from(text, 'latin1')),
  // The alphabet of base64 in URLs (RFC 4648 section 5).
  (text) => text.replaceAll('-', '+').replaceAll('_', '/'),
];
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns the text as it is, with one kind of escapes decoded, and with two, one after the other. */
function readings(text: string): string[] {
  const once = DECODERS.map((decode) => decode(text)).filter((reading) => reading !== text);
  return [text, ...once, ...once.flatMap((reading) => DECODERS.map((decode) => decode(reading)))];
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
