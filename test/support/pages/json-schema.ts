/** The part of JSON Schema that the project's own schemas use. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const KNOWN = '$schema $ref $defs title description type const enum required properties items';

/**
 * The places where a value departs from a schema, one per line. An unknown keyword of the schema
 * is an error too.
 */
export function schemaFaults(root: Schema, value: unknown): readonly string[] {
  return check(root, root, value, '$');
}

function check(root: Schema, schema: Schema, value: unknown, at: string): readonly string[] {
  const odd = Object.keys(schema).filter((key) => !KNOWN.split(' ').includes(key));
  if (odd.length > 0) return [`${at}: the schema uses ${odd.join(', ')}, which nothing checks`];
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/$defs/', '');
    const target = root.$defs?.[name];
    return target === undefined ? [`${at}: no ${schema.$ref}`] : check(root, target, value, at);
  }
  const type = typeOf(value);
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types !== undefined && !types.some((one) => fits(one, value))) {
    return [`${at}: expected ${types.join(' or ')}, found ${type}`];
  }
  if (schema.const !== undefined && schema.const !== value) {
    return [`${at}: expected ${schema.const}, found ${value}`];
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return [`${at}: ${value} is not one of ${schema.enum.join(', ')}`];
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => check(root, items, item, `${at}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const missing = (schema.required ?? []).filter((key) => fields[key] === undefined);
  return [
    ...missing.map((key) => `${at}.${key} is missing`),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
      fields[key] === undefined ? [] : check(root, property, fields[key], `${at}.${key}`),
    ),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function fits(type: string, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value);
}
