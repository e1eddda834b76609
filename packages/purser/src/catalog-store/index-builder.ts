// Entrance of the short-lived process that builds one index: arguments in, one JSON line out.
import { failed } from "@purser/kubernetes/result";
import { goSystemError } from "./read/go-file-error.ts";
import { type CatalogForm, writeIndex } from "./write-index.ts";

const [root, into, form = "catalog"] = process.argv.slice(2);
if (root === undefined || into === undefined || !isForm(form)) {
  console.error("usage: index-builder CATALOG DIR [catalog|lenient|unchecked|capture|configMap]");
  process.exitCode = 2;
} else {
  process.stdout.write(`${JSON.stringify(built(root, into, form))}\n`);
}

/** An index that cannot be written is a problem, of this machine; any other error ends the process. */
function built(catalog: string, directory: string, as: CatalogForm): ReturnType<typeof writeIndex> {
  try {
    return writeIndex(catalog, directory, as);
  } catch (error) {
    const text = goSystemError(error);
    if (text === undefined) throw error;
    const message = `the index cannot be written to ${directory}: ${text.replace(/^[a-z]+ : /, "")}`;
    return failed([{ rule: "unwritable", message }]);
  }
}

function isForm(text: string): text is CatalogForm {
  return text === "catalog" || text === "lenient" || text === "unchecked" || text === "capture" || text === "configMap";
}
