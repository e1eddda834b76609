// Entrance of the short-lived process that builds one index: arguments in, one JSON line out.
import { failed } from "@purser/kubernetes/result";
import { goSystemError } from "./read/go-file-error.ts";
import { type CatalogForm, writeIndex } from "./write-index.ts";

const [root, into, form = "catalog"] = process.argv.slice(2);
if (root === undefined || into === undefined || !isForm(form)) {
  console.error("usage: index-builder CATALOG FOLDER [catalog|lenient|unchecked|capture|configMap]");
  process.exitCode = 2;
} else {
  process.stdout.write(`${JSON.stringify(built(root, into, form))}\n`);
}

/** A directory that cannot be written is a problem; any other error ends the process. */
function built(catalog: string, folder: string, as: CatalogForm): ReturnType<typeof writeIndex> {
  try {
    return writeIndex(catalog, folder, as);
  } catch (error) {
    const message = goSystemError(error);
    if (message === undefined) throw error;
    return failed([{ rule: "unreadable", message, place: { file: folder } }]);
  }
}

function isForm(text: string): text is CatalogForm {
  return text === "catalog" || text === "lenient" || text === "unchecked" || text === "capture" || text === "configMap";
}
