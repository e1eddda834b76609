// Entrance of the short-lived process that builds one index: arguments in, one JSON line out.
import { failed } from "@purser/kubernetes/result";
import { goSystemError } from "./go-file-error.ts";
import { writeIndex } from "./write-index.ts";

const [root, into] = process.argv.slice(2);
if (root === undefined || into === undefined) {
  console.error("usage: index-builder CATALOG FOLDER");
  process.exitCode = 2;
} else {
  process.stdout.write(`${JSON.stringify(built(root, into))}\n`);
}

/** A directory that cannot be written is a problem; any other error ends the process. */
function built(catalog: string, folder: string): ReturnType<typeof writeIndex> {
  try {
    return writeIndex(catalog, folder);
  } catch (error) {
    const message = goSystemError(error);
    if (message === undefined) throw error;
    return failed([{ rule: "unreadable", message, place: { file: folder } }]);
  }
}
