import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openServeCache } from "../../src/cli/opm/serve-cache.ts";
import { fatal } from "../../src/catalog/opm/answer.ts";
import type { StoredIndex } from "../../src/catalog-store/open.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { type RegistryServer, serveRegistry } from "../../src/registry-api/grpc/registry-server.ts";
import { type GrpcAnswer, grpcClient, type GrpcClient } from "../../src/registry-api/testing/grpc-client.ts";
import { canonicalJson, compareBytes } from "@purser/kubernetes/text/documents";
import { compareExactly } from "../compare.ts";
import { absent, answer, type Answer, type GoldenCase, type Suite, type SuiteSession } from "../suite.ts";
import { listAt, objectAt, sha256, textAt } from "./bundle-directory.ts";

interface Served {
  readonly index: StoredIndex;
  readonly server: RegistryServer;
  readonly client: GrpcClient;
  /** Asked once for all cases about it. */
  listed?: Promise<GrpcAnswer>;
}

/** Answers are small when their compact JSON has at most this many bytes together. */
const shownBytes = 3000;

class RegistrySession implements SuiteSession {
  readonly #catalog: (name: string) => string | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), "purser-registry-"));
  readonly #roots = new Map<string, string>();
  readonly #served = new Map<string, Promise<Served | string>>();

  constructor(catalog: (name: string) => string | undefined) {
    this.#catalog = catalog;
  }

  define({ input }: GoldenCase): boolean {
    const files = member(input, "files");
    if (!isJsonObject(files)) return false;
    const root = join(this.#directory, textAt(input, "catalog"));
    for (const [path, content] of Object.entries(files)) {
      const encoded = isJsonObject(content) ? textAt(content, "base64") : "";
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), typeof content === "string" ? content : Buffer.from(encoded, "base64"));
    }
    this.#roots.set(textAt(input, "catalog"), root);
    return true;
  }

  async run({ input, expect }: GoldenCase): Promise<Answer> {
    const name = textAt(input, "catalog");
    const root = this.#roots.get(name) ?? this.#catalog(name);
    if (root === undefined) return absent(`catalog ${name}`);
    let serving = this.#served.get(name);
    if (serving === undefined) this.#served.set(name, (serving = this.#serve(name, root)));
    const served = await serving;
    const rpc = textAt(input, "rpc");
    if (typeof served === "string") return answer(served === "" ? { serves: true } : refusal(served));
    if (rpc === "serve") return answer({ serves: true });
    const method = rpcPath(rpc);
    const request = objectAt(input, "request");
    const metadata = Object.keys(objectAt(input, "metadata")).map(
      (key) => [key, textAt(objectAt(input, "metadata"), key)] as const,
    );
    const got =
      rpc === "ListBundles"
        ? await (served.listed ??= served.client.call(method, request, metadata))
        : await served.client.call(method, request, metadata);
    return answer(shown(got, input, expect));
  }

  async close(): Promise<void> {
    for (const each of this.#served.values()) {
      const served = await each;
      if (typeof served === "string") continue;
      served.client.close();
      await served.server.stop(100);
      served.index.close();
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #serve(name: string, root: string): Promise<Served | string> {
    const directory = join(this.#directory, "cache", name);
    const { signal } = new AbortController();
    const opened = await openServeCache({ root, directory, enforceIntegrity: false, signal });
    if (!opened.ok) return opened.problem;
    const index = opened.value;
    const server = await serveRegistry({ index: () => index, clock: systemClock }, { host: "127.0.0.1", port: 0 });
    if (!server.ok) throw new Error(server.problem);
    return { index, server: server.value, client: grpcClient(server.value.address) };
  }
}

function refusal(message: string): JsonObject {
  const { exit, stderr } = fatal(message);
  return { exit, stderr: stderr.trimEnd() };
}

function rpcPath(rpc: string): string {
  if (rpc.startsWith("Health.")) return `grpc.health.v1.${rpc}`;
  return rpc.startsWith("Experimental") ? `api.ExperimentalRegistry.${rpc}` : `api.Registry.${rpc}`;
}

/** An answer in the shape of the golden file: whole when small, else as hashes. */
function shown({ code, message, responses }: GrpcAnswer, input: JsonObject, expect: JsonObject): JsonObject {
  const only = textAt(input, "package");
  const kept = only === "" ? responses : responses.filter((response) => textAt(response, "packageName") === only);
  const texts = kept.map((response) => canonicalJson(response));
  const sorted = member(expect, "unordered") === true ? texts.toSorted(compareBytes) : texts;
  const status = { code, ...(code === "OK" ? {} : { message }) };
  const oneOf = listAt(expect, "oneOf");
  if (oneOf.length > 0) {
    const chosen = kept.map((response) => textAt(response, "csvName")).find((name) => oneOf.includes(name));
    return { ...status, oneOf: chosen === undefined ? kept : oneOf };
  }
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (only !== "") return { ...status, count: kept.length, sha256: sha256(sorted.join("\n")) };
  if (bytes <= shownBytes) return { ...status, responses: sorted.map((text) => JSON.parse(text) as JsonValue) };
  const [first, second] = kept;
  const detail: JsonObject =
    first !== undefined && second === undefined
      ? { fields: summarised(first, objectAt(expect, "fields")) }
      : { each: sorted.map((text) => sha256(text).slice(0, 12)) };
  return { ...status, count: kept.length, bytes, sha256: sha256(sorted.join("\n")), ...detail };
}

/** Fields of a large message; those that the golden file hashes are hashed. */
function summarised(response: JsonObject, like: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(response).map(([key, value = null]) => {
      const wanted = member(like, key);
      if (typeof value === "string" && isJsonObject(wanted))
        return [key, { bytes: Buffer.byteLength(value), sha256: sha256(value) }];
      if (Array.isArray(value) && isJsonObject(wanted))
        return [key, { items: value.length, sha256: sha256(canonicalJson(value)) }];
      return [key, value];
    }),
  );
}

export const suite: Suite = {
  name: "registry-grpc",
  compare: compareExactly(),
  open: ({ data }) => new RegistrySession((name) => data.catalog(name)),
};
