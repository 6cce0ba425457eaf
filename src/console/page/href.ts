/** `#/tree/%2Fapp` */
export function hrefOf(view: string, subject = ''): string {
  return `#/${view}/${encodeURIComponent(subject)}`;
}
