// Catalogs in ConfigMaps: what OLM's configmap-server serves of one (ListBundles and GetPackage), or that it refuses it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { openIndex } from "../../../src/catalog-store/open.ts";
import { readServedBundle, readServedPackage } from "../../../src/catalog-store/registry/served-messages.ts";
import { writeIndex } from "../../../src/catalog-store/write-index.ts";
import { registryMethods } from "../../../src/registry-api/grpc/methods.ts";
import { readFields } from "../../../src/registry-api/grpc/request-fields.ts";
import { message, text } from "../../../src/catalog-store/registry/message-writer.ts";
import { answer, type Answer, type GoldenCase, type Suite } from "../../suite.ts";
import { servedAnswers } from "./config-map-answers.ts";

export const suite: Suite = {
  name: "v0-config-map-catalog",
  run({ input }: GoldenCase): Answer {
    const data = member(input, "data");
    return answer(servedFrom(isJsonObject(data) ? data : {}));
  },
};

/** What our registry server serves of the data, or `{refused: true}`: the texts of refusals are not OLM's. */
function servedFrom(data: JsonObject): JsonObject {
  const directory = mkdtempSync(join(tmpdir(), "purser-config-map-"));
  try {
    const file = join(directory, "data.json");
    writeFileSync(file, JSON.stringify(data));
    const written = writeIndex(file, directory, "configMap");
    if (!written.ok) return { refused: true };
    const opened = openIndex(written.value.file);
    if (!opened.ok) return { refused: opened.problem.message };
    const index = opened.value;
    const getPackage = registryMethods["GetPackage"];
    const packages = index.packages().flatMap((name) => {
      if (getPackage?.streams !== false) return [];
      const request = readFields(message(text(1, name)));
      const found = getPackage.answer({ index, request, metadata: () => [] });
      return found.ok ? [readServedPackage(found.value)] : [];
    });
    const bundles = [...index.listedBundles()].map((bytes) => readServedBundle(bytes));
    const served = servedAnswers(packages, bundles);
    index.close();
    return served;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
