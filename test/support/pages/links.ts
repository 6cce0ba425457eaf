import { dirname, join } from 'node:path';

/** A set of pages as a reader gets them: the project, or what a package has of it. */
export interface PageSet {
  /** Paths from the root of the set. */
  readonly pages: readonly string[];
  has(path: string): boolean;
  read(path: string): string;
}

/** The links of the pages that lead to no file or no heading of the set, as `page: target`. */
export function brokenLinks({ pages, has, read }: PageSet): string[] {
  return pages.flatMap((path) => {
    const page = read(path).replace(/```[\s\S]*?```/g, '');
    return [...page.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = '', anchor = ''] = target.split('#');
      const found = file === '' ? path : join(dirname(path), file);
      if (!has(found)) return [`${path}: ${target}`];
      const isThere =
        anchor === '' || !found.endsWith('.md') || anchorsOf(read(found)).includes(anchor);
      return isThere ? [] : [`${path}: ${target}`];
    });
  });
}

/** The anchors that GitHub makes from headings. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
