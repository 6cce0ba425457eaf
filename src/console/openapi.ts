import type { JsonSchema } from './api/schema.js';
import { Problem } from './api/shapes.js';
import type { LoginSchemes } from './logins.js';
import { API, type Route } from './route.js';

/** Any request: bad parameters, no login, refused by the gate, rate limit, no server. */
const USUAL_PROBLEMS = [400, 401, 403, 429, 503];

/** @param logins the schemes of the logins that this console accepts */
export function openApi(routes: readonly Route[], version: string, logins: LoginSchemes) {
  const schemas: Record<string, JsonSchema> = {};
  const refer = (schema: JsonSchema): JsonSchema => {
    const { title, properties, items } = schema;
    const inner = {
      ...schema,
      ...(items === undefined ? {} : { items: refer(items) }),
      ...(properties === undefined ? {} : { properties: mapValues(properties, refer) }),
    };
    if (title === undefined) return inner;
    schemas[title] = inner;
    return { $ref: `#/components/schemas/${title}` };
  };
  const problem = {
    description: 'what went wrong, and the exit status of zksh for it',
    content: { 'application/problem+json': { schema: refer(Problem.json) } },
  };
  const names = Object.keys(logins);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const each of routes) {
    const { method, path, summary, answer, status = 200, problems = [], isOpen } = each;
    const { produces = 'application/json' } = each;
    const schema = answer === undefined ? {} : { schema: refer(answer.json) };
    const entry = paths[path] ?? {};
    paths[path] = entry;
    entry[method.toLowerCase()] = {
      summary,
      ...(isOpen === true ? { security: [] } : {}),
      parameters: parametersOf(each),
      ...(each.takes?.includes('bytes') === true
        ? { requestBody: { content: { 'application/octet-stream': {} } } }
        : {}),
      responses: {
        [status]: { description: 'done', content: { [produces]: schema } },
        ...Object.fromEntries([...USUAL_PROBLEMS, ...problems].map((code) => [code, problem])),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'zkops console', version },
    servers: [{ url: API }],
    security: names.length === 0 ? [{}] : names.map((name) => ({ [name]: [] })),
    paths,
    components: { schemas, securitySchemes: logins },
  };
}

function parametersOf({ path, required = {}, optional = {}, takes = [] }: Route) {
  const ifMatch = {
    name: 'If-Match',
    in: 'header',
    required: true,
    schema: { type: 'string', description: 'the expected version in quotes, or * for any' },
  };
  return [
    ...Object.entries({ ...required, ...optional }).map(([name, { json: schema }]) => {
      const isInPath = path.includes(`{${name}}`);
      return { name, in: isInPath ? 'path' : 'query', required: name in required, schema };
    }),
    ...(takes.includes('if-match') ? [ifMatch] : []),
  ];
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
