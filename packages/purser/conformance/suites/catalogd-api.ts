import { decodeMeta, type Meta } from "../../src/catalog/loading/decode.ts";
import { readCatalogFile, walkCatalog } from "../../src/catalog-store/read/walk-directory.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import {
  answerCatalogRequest,
  type CatalogRequest,
  type CatalogServer,
  type QueryReply,
} from "../../src/registry-api/http/answer-request.ts";
import { catalogSchema } from "../../src/registry-api/graphql/catalog-schema.ts";
import { discoverSchemas } from "../../src/registry-api/graphql/discovered-schema.ts";
import { executeQuery, readQuery } from "../../src/registry-api/graphql/execute-query.ts";
import { bytesOf } from "../../src/registry-api/http/body.ts";
import { encoded } from "../../src/registry-api/http/compress.ts";
import { servedBlobs, type ServedCatalog } from "../../src/registry-api/http/served-catalog.ts";
import { documentsOf } from "@purser/kubernetes/text/documents";
import { textOfFile } from "@purser/kubernetes/text/file-text";
import { compareExactly, compareLoosely } from "../compare.ts";
import { answer, type Suite } from "../suite.ts";
import { listAt, objectAt, sha256, textAt } from "./bundle-directory.ts";
import { withFiles } from "./catalog-files.ts";

const modifiedMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** Files of a catalog as texts: lists of blobs stand for one line of JSON each. */
function filesOf(catalog: JsonObject): JsonObject {
  const files = Object.entries(objectAt(catalog, "files")).map(([path, content = null]) => [
    path,
    Array.isArray(content) ? content.map((blob) => `${JSON.stringify(blob)}\n`).join("") : content,
  ]);
  return Object.fromEntries(files) as JsonObject;
}

/** All blobs of a directory by the rules of the v1 catalog service, or why it keeps none. */
function metasOf(root: string): readonly Meta[] | string {
  const files = walkCatalog(root);
  if (!files.ok) return files.problem.message;
  const metas: Meta[] = [];
  for (const file of files.value) {
    const bytes = readCatalogFile(root, file);
    const text = bytes.ok ? textOfFile(bytes.value, file.path) : bytes;
    if (!text.ok) return text.problem.message;
    for (const document of documentsOf(text.value)) {
      const meta = document.ok ? decodeMeta(document.value) : document;
      if (!meta.ok) return meta.problem.message;
      metas.push(meta.value);
    }
  }
  return metas;
}

/** Answers as the thread of queries does, from memory. */
async function query(catalog: ServedCatalog, text: string): Promise<QueryReply> {
  const blobs = [...catalog.lines()].map(({ body }) => JSON.parse(Buffer.from(bytesOf(body)).toString()) as JsonObject);
  const schema = catalogSchema(discoverSchemas(blobs), (wanted, offset, limit) =>
    blobs.filter((blob) => blob["schema"] === wanted).slice(offset, offset + limit),
  );
  if (!schema.ok) throw new Error(schema.problem);
  const read = readQuery(text);
  const response = "refusal" in read ? read.refusal : executeQuery(schema.value, read.document);
  return { kind: "answered", response };
}

function requestOf(input: JsonValue): CatalogRequest {
  const request = isJsonObject(input) ? input : {};
  const headers = Object.entries(objectAt(request, "headers")).map(
    ([name, value]) => [name.toLowerCase(), typeof value === "string" ? value : ""] as const,
  );
  const body = (): Promise<string> => Promise.resolve(textAt(request, "body"));
  return { method: textAt(request, "method"), target: textAt(request, "path"), headers: new Map(headers), body };
}

async function answered(
  request: CatalogRequest,
  catalogs: ReadonlyMap<string, ServedCatalog>,
  input: JsonObject,
): Promise<JsonObject> {
  const server: CatalogServer = {
    catalog: (name) => catalogs.get(name),
    metas: member(input, "metas") === true,
    boundary: () => "BOUNDARY",
    ...(member(input, "graphql") === true ? { query } : {}),
  };
  const sent = encoded(request, await answerCatalogRequest(request, server));
  const { status, headers } = sent;
  const body = Buffer.from(bytesOf(sent.body));
  const text = body.toString("utf8");
  const shown: JsonObject =
    body.length === 0
      ? {}
      : body.length < 900
        ? { body: text }
        : { sha256: sha256(text), lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0) };
  return { status, headers: { ...headers }, bytes: body.length, ...shown };
}

/** Lengths that depend on the server's buffer or on a random boundary are not compared. */
function withoutFreeLengths(expect: JsonObject, value: JsonValue): readonly [JsonObject, JsonValue] {
  const expected = listAt(expect, "responses");
  const isFree = expected.map((each) => {
    const headers = isJsonObject(each) ? objectAt(each, "headers") : {};
    return member(headers, "Content-Length") === undefined || textAt(headers, "Content-Type").startsWith("multipart/");
  });
  const relaxed = (all: JsonObject): JsonObject => ({
    ...all,
    responses: listAt(all, "responses").map((each, index) => {
      if (isFree[index] !== true || !isJsonObject(each)) return each;
      const { "Content-Length": _length, ...headers } = objectAt(each, "headers");
      return { ...each, headers };
    }),
  });
  return [relaxed(expect), isJsonObject(value) ? relaxed(value) : value];
}

const loosely = compareLoosely(compareExactly(), ["error"]);

export const suite: Suite = {
  name: "catalogd-api",
  compare(golden, value) {
    const [expect, actual] = withoutFreeLengths(golden.expect, value);
    return loosely({ ...golden, expect }, actual);
  },
  async run({ input }) {
    const catalogs = new Map<string, ServedCatalog>();
    const stores = listAt(input, "catalogs").map((given): JsonObject => {
      const catalog = isJsonObject(given) ? given : {};
      const name = textAt(catalog, "name");
      const metas = withFiles(filesOf(catalog), metasOf);
      if (typeof metas === "string") return { catalog: name, exists: false, error: `error walking FBC root: ${metas}` };
      catalogs.set(name, servedBlobs(metas, modifiedMs));
      return { catalog: name, exists: true };
    });
    const responses = await Promise.all(
      listAt(input, "requests").map((request) => answered(requestOf(request), catalogs, input)),
    );
    return answer({ responses, stores });
  },
};
