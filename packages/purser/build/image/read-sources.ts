import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { done, failed, type Result } from "@purser/kubernetes/result";

/**
 * The digest of the sources that a build has read, by names and content; call it when everything else is read. `list` is the
 * `sources.json` that the bundler leaves out when a source changed while it read; its paths are relative to `directory`. The problem
 * says what changed since.
 */
export function digestOfSources(list: string, directory: string): Result<string, string> {
  const changed = (what: string): Result<string, string> =>
    failed(
      `${what} while the image was built: it would hold parts of both states; build again when nothing changes the sources`,
    );
  if (!existsSync(list)) return changed("a source changed");
  const sources = JSON.parse(readFileSync(list, "utf8")) as Readonly<Record<string, string>>;
  const hash = createHash("sha256");
  for (const path of Object.keys(sources).toSorted(compareBytes)) {
    const file = join(directory, path);
    const content = existsSync(file) ? readFileSync(file) : undefined;
    const found = statSync(file, { throwIfNoEntry: false });
    if (content === undefined || found === undefined || `${found.size} ${found.ctimeMs}` !== sources[path])
      return changed(`${path} changed`);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return done(`sha256:${hash.digest("hex")}`);
}
