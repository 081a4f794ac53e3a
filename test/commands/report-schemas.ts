import Ajv from 'ajv';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const failure = {
  error: { type: 'string', minLength: 1 },
  hints: texts,
  exit_code: { enum: [1, 2, 3, 4, 5, 6, 7] },
};

/** What `gwtoken doctor --json` prints: a failed check has an exit code, and says what is the matter. */
const DOCTOR = object({
  version: text,
  exit_code: { enum: [0, 1, 2, 3, 4, 5, 6, 7] },
  checks: {
    type: 'array',
    items: {
      ...object({
        section: {
          type: 'string',
          pattern: '^(gwtoken|settings|directories|environment|keychain|[^:]+:(production|sandbox):(eu|us))$',
        },
        name: { type: 'string', minLength: 1 },
        result: { enum: ['ok', 'warning', 'failed', 'skipped'] },
        message: { type: 'string', minLength: 1, pattern: '^[^\\n]*$' },
        hints: texts,
        exit_code: orNull({ enum: [1, 2, 3, 4, 5, 6, 7] }),
      }),
      if: { properties: { result: { const: 'failed' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        properties: { exit_code: { type: 'integer' } },
        anyOf: [
          { properties: { hints: { minItems: 1 } } },
          { properties: { message: { pattern: '^invalid ' } } },
        ],
      },
      else: { properties: { exit_code: { type: 'null' } } },
    },
  },
});

/** What `gwtoken status --json` prints. */
const STATUS = object({
  clients: {
    type: 'array',
    items: object({
      name: text,
      profile: text,
      environment: { enum: ['production', 'sandbox'] },
      region: { enum: ['eu', 'us'] },
      selected: { type: 'boolean' },
      credentials: {
        oneOf: [
          object({ source: { enum: ['variables', 'command', 'keychain'] }, name: text }),
          object(failure),
        ],
      },
      client_id: orNull(text),
      auth_url: orNull(text),
      auth_url_source: orNull(text),
      bound_to: orNull(text),
      token: orNull(
        object({ expires_at: { type: 'string', pattern: 'Z$' }, expires_in: { type: 'integer' } }),
      ),
      check: orNull({
        oneOf: [
          object({ ok: { const: true }, expires_in: orNull({ type: 'integer' }) }),
          object({ ok: { const: false }, ...failure }),
        ],
      }),
    }),
  },
});

export interface DoctorReport {
  readonly exit_code: number;
  readonly checks: readonly {
    readonly section: string;
    readonly name: string;
    readonly result: 'ok' | 'warning' | 'failed' | 'skipped';
    readonly message: string;
    readonly hints: readonly string[];
    readonly exit_code: number | null;
  }[];
}

export interface StatusReport {
  readonly clients: readonly {
    readonly name: string;
    readonly selected: boolean;
    readonly credentials: Record<string, unknown>;
    readonly client_id: string | null;
    readonly auth_url: string | null;
    readonly bound_to: string | null;
    readonly token: unknown;
    readonly check: Record<string, unknown> | null;
  }[];
}

/** Parses one line of JSON that is valid by the schema. Throws with what is wrong otherwise. */
function parse(schema: object, line: string): unknown {
  const report: unknown = JSON.parse(line);
  const ajv = new Ajv({ allErrors: true, strictTypes: false });
  if (!ajv.validate(schema, report)) throw new Error(`${ajv.errorsText()}\n${line}`);
  if (!line.endsWith('\n') || line.indexOf('\n') !== line.length - 1) throw new Error('not one line');
  return report;
}

export const parseDoctor = (line: string): DoctorReport => parse(DOCTOR, line) as DoctorReport;
export const parseStatus = (line: string): StatusReport => parse(STATUS, line) as StatusReport;
