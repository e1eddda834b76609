import { resolve } from "node:path";
import { contentFaults } from "../../../bundle/validators/content.ts";
import { formatFaults } from "../../../bundle/validators/format.ts";
import { logRecord, type OpmAnswer } from "../../../catalog/opm/answer.ts";
import { isFolder, readBundleDirectory } from "../../bundle-directory.ts";
import { refuse } from "../opm-command.ts";

/** `opm alpha bundle validate` for a bundle directory. @throws FlagError with all problems */
export function validateBundle(root: string): OpmAnswer {
  if (!isFolder(root))
    return refuse(`"${root}" is not a directory; reading image references is not built yet, unpack the image first`);
  const read = readBundleDirectory(root);
  if (!read.ok) return refuse(read.problem);
  for (const check of [formatFaults, contentFaults]) {
    const faults = check(read.value, resolve(root)).map(({ message }) => message);
    if (faults.length > 0) return refuse(`Bundle validation errors: ${faults.join(",")}`);
  }
  return { exit: 0, stdout: "", stderr: logRecord("info", "All validation tests have been completed successfully") };
}
