import { parseAst } from 'rolldown/parseAst';

interface Syntax {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Returns the texts in a source file: string literals and the pieces of templates; no imports, no types. */
export function textsOf(code: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, source, ...members } = node as Syntax;
    if (type === 'TemplateLiteral') {
      const pieces = members['quasis'] as { value: { cooked: string } }[];
      found.push(pieces.map(({ value }) => value.cooked).join('…'));
    }
    if (type === 'Literal' && typeof members['value'] === 'string') found.push(members['value']);
    // What is imported stands in `source`, and types begin with TS but for the few that wrap an expression.
    if (/^TS(?!AsExpression|SatisfiesExpression|NonNull)/.test(type)) return;
    Object.values(members).forEach(visit);
  };
  visit(parseAst(code, { lang: 'ts' }));
  return found;
}
