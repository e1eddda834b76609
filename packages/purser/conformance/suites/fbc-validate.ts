import { opmProblem, opmValidate } from "../../src/catalog/opm/validate.ts";
import { readCatalog } from "../../src/catalog-store/read/read-catalog.ts";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { compareExactly, compareLoosely } from "../compare.ts";
import { answer, type Suite } from "../suite.ts";
import { withFiles } from "./catalog-files.ts";
import { withoutRandomPackage, withRandomPackage } from "./random-package.ts";

function outputOf(args: JsonValue | undefined): "text" | "json" | "yaml" {
  const wanted: unknown = Array.isArray(args) && args[0] === "-o" ? args[1] : undefined;
  return wanted === "json" || wanted === "yaml" ? wanted : "text";
}

/** Upstream lists keys spelled in two ways in the order of a hash map. */
function sortedKeyComplaints(value: JsonValue): JsonValue {
  const list = /\[(duplicate keys for key [^\n]*\])\](?="?$|"?\n)/;
  const sort = (text: string): string =>
    text.replace(
      list,
      (_all, inner: string) =>
        `[${inner
          .split(/, (?=duplicate keys)/)
          .toSorted()
          .join(", ")}]`,
    );
  if (typeof value === "string") return sort(value);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held = null]) => [key, sortedKeyComplaints(held)]));
}

const exactly = compareLoosely(compareExactly("message"), ["message", "stderr", "stdout"]);

export const suite: Suite = {
  name: "fbc-validate",
  compare(golden, value) {
    const [expected, actual] = withoutRandomPackage(golden.expect, value);
    const expect = sortedKeyComplaints(expected);
    return exactly({ ...golden, expect: isJsonObject(expect) ? expect : {} }, sortedKeyComplaints(actual));
  },
  run({ input }) {
    return withFiles(member(input, "files"), (root) => {
      const blobs = [...readCatalog(root, { refuseEmptyDocuments: true, followOutside: true })];
      const message = opmProblem(blobs);
      const { exit, stdout, stderr } = opmValidate(blobs, outputOf(member(input, "args")));
      const shown = (text: string): string => text.replaceAll(root, "$ROOT");
      const reported = message === undefined ? {} : { message: shown(message) };
      return answer(withRandomPackage({ exit, stdout: shown(stdout), stderr: shown(stderr), ...reported }, root));
    });
  },
};
