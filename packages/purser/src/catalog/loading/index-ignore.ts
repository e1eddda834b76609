import { parseGlob } from "../glob.ts";

/** A `.indexignore` file: the directory that holds it (segments below the root) and its text. */
export interface IgnoreFile {
  readonly directory: readonly string[];
  readonly text: string;
}

interface Pattern {
  readonly scope: readonly string[];
  readonly includes: boolean;
  readonly directoriesOnly: boolean;
  matches(path: readonly string[]): boolean;
}

/**
 * Says which files of a catalog are ignored. `files` in walk order; the last pattern that matches decides. Unlike
 * git, a negated pattern re-includes a file below an ignored directory. Only files are asked about.
 */
export function ignoreRules(files: readonly IgnoreFile[]): (path: readonly string[]) => boolean {
  const patterns = files
    .flatMap(({ directory, text }) => linesOf(text).map((line) => parsePattern(line, directory)))
    .toReversed();
  return (path) => {
    const decisive = patterns.find(
      (pattern) => inScope(pattern, path) && pattern.matches(path.slice(pattern.scope.length)),
    );
    return decisive !== undefined && !decisive.includes;
  };
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function inScope({ scope }: Pattern, path: readonly string[]): boolean {
  return path.length > scope.length && scope.every((segment, index) => path[index] === segment);
}

function parsePattern(line: string, scope: readonly string[]): Pattern {
  const includes = line.startsWith("!");
  const unsigned = includes ? line.slice(1) : line;
  const directoriesOnly = unsigned.endsWith("/");
  const body = directoriesOnly ? unsigned.slice(0, -1) : unsigned;
  const segments = body.split("/");
  const matches = body.includes("/") ? anchored(segments, directoriesOnly) : anyName(body, directoriesOnly);
  return { scope, includes, directoriesOnly, matches };
}

/** A pattern without a slash matches any component; for directories only, any but the last. */
function anyName(pattern: string, directoriesOnly: boolean): Pattern["matches"] {
  const glob = parseGlob(pattern);
  if (glob === undefined) return () => false;
  return (path) => {
    const at = path.findIndex((segment) => glob(segment));
    return at !== -1 && !(directoriesOnly && at === path.length - 1);
  };
}

/** A pattern with a slash matches from its scope down, segment by segment, and covers all beneath what it matches. */
function anchored(segments: readonly string[], directoriesOnly: boolean): Pattern["matches"] {
  const globs = segments.map((segment) => (segment === "" || segment === "**" ? segment : parseGlob(segment)));
  const hopeless = segments.some((segment) => segment !== "**" && segment.includes("**")) || globs.includes(undefined);
  if (hopeless) return () => false;
  return (path) => {
    let at = 0;
    let matched = false;
    let anyDepth = false;
    for (const [index, glob] of globs.entries()) {
      if (glob === "") anyDepth = false;
      else if (glob === "**") {
        if (index === globs.length - 1) break;
        anyDepth = true;
      } else if (typeof glob === "function") {
        if (at >= path.length) return false;
        if (anyDepth) {
          anyDepth = false;
          const found = path.findIndex((segment, position) => position >= at && glob(segment));
          if (found === -1) {
            matched = false;
            at = path.length;
          } else {
            matched = true;
            at = found + 1;
          }
        } else {
          if (!glob(path[at] ?? "")) return false;
          matched = true;
          at++;
        }
      }
    }
    return matched && !(directoriesOnly && at === path.length);
  };
}
