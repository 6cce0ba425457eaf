import type { RunningConsole } from './console-world.js';

export interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object };
}

export async function openApiOf({ url }: RunningConsole): Promise<OpenApi> {
  const page = await fetch(`${url}api/v1/openapi.json`);
  return JSON.parse(await page.text());
}

/** The schema of a response, for json-schema.ts; undefined without one. */
export function schemaOf(
  { components }: OpenApi,
  { responses }: Operation,
  status: number,
  type: string,
) {
  const content = new Map(Object.entries(responses[status]?.content ?? {}));
  // A download has no schema: it is not JSON.
  const schema = content.get(type)?.schema;
  if (schema === undefined) return undefined;
  const text = JSON.stringify({ ...schema, $defs: components.schemas });
  const known = text.replaceAll('#/components/schemas/', '#/$defs/');
  return JSON.parse(known.replace(/"(?:minimum|maximum|default)":[^,}]+,?/g, ''));
}
