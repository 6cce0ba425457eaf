import { urlOf } from './api.js';
import { shellWord } from './words.js';

/** `#/tree/%2Fapp` */
export function hrefOf(view: string, subject = ''): string {
  return `#/${view}/${encodeURIComponent(subject)}`;
}

/** The same as a request: `curl -X POST http://127.0.0.1:8090/api/v1/changes/3/undo`. */
export function curlLine(path: string, method = 'GET'): string {
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return `curl ${verb}${shellWord(`${location.origin}${urlOf(path)}`)}`;
}
