// Writes the pinned input of the tables: the schemas that a real kube-apiserver serves, without descriptions.
//   node packages/apiserver/build/kubernetes-tables/input.ts KUBECONFIG
import { writeFileSync } from "node:fs";
import { constants, gzipSync } from "node:zlib";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { readBody } from "@purser/kubernetes/kube/api-body";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { describeKubeconfigProblem, loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { inputFile } from "./published-schemas.ts";

const [kubeconfig] = process.argv.slice(2);
if (kubeconfig === undefined) {
  console.error("usage: node packages/apiserver/build/kubernetes-tables/input.ts KUBECONFIG");
  process.exit(2);
}
const access = loadKubeconfig({ path: kubeconfig, env: process.env });
if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
const transport = httpTransport(access.value);

async function read(target: string): Promise<JsonObject> {
  const [path = "", query = ""] = target.split("?");
  const headers = { accept: "application/json" };
  const answer = await transport(
    { method: "GET", path, query: new URLSearchParams(query), headers },
    new AbortController().signal,
  );
  const { json } = await readBody(answer.body);
  if (answer.status !== 200 || !isJsonObject(json)) throw new Error(`${target} was answered with ${answer.status}`);
  return json;
}

/** A description is a text; a field named "description" has a schema. */
function withoutDescriptions(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutDescriptions);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, held]) => held !== undefined && !(key === "description" && typeof held === "string"))
      .map(([key, held]) => [key, withoutDescriptions(held ?? null)]),
  );
}

const { gitVersion } = await read("/version");
if (gitVersion !== "v1.36.3") throw new Error(`this is Kubernetes ${JSON.stringify(gitVersion)}, not v1.36.3`);
const schemas = new Map<string, JsonValue>();
const paths = member(await read("/openapi/v3"), "paths");
for (const entry of isJsonObject(paths) ? Object.values(paths) : []) {
  const target = isJsonObject(entry) ? member(entry, "serverRelativeURL") : undefined;
  if (typeof target !== "string") continue;
  const components = member(await read(target), "components");
  const found = isJsonObject(components) ? member(components, "schemas") : undefined;
  for (const [name, schema] of Object.entries(isJsonObject(found) ? found : {}))
    if (!schemas.has(name)) schemas.set(name, withoutDescriptions(schema ?? null));
}
const sorted = Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(inputFile, gzipSync(JSON.stringify(sorted), { level: constants.Z_BEST_COMPRESSION }));
console.log(`${schemas.size} schemas`);
transport.close();
