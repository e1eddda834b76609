import { readFileSync } from "node:fs";
import type { JsonObject } from "@purser/kubernetes/json";
import { failed, type Result } from "@purser/kubernetes/result";
import { goJson, parseJson } from "@purser/kubernetes/text/documents";
import { blobsOfChunks } from "../../catalog/loading/load.ts";
import type { CatalogBlob } from "../../catalog/model.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { CatalogDocuments } from "../../catalog/served/catalog-documents.ts";
import { readPackageManifests } from "../../catalog/served/package-manifests.ts";
import type { ServedBundle, ServedPackage } from "../../catalog/served/served-content.ts";
import { readCapture } from "./registry-capture.ts";
import { readServedBundle, readServedPackage } from "./served-messages.ts";

type Blobs = Generator<Result<CatalogBlob, CatalogProblem>, void, void>;

/** The catalog in a file of messages that a registry server sent. */
export function* capturedBlobs(file: string): Blobs {
  try {
    yield* blobsOf("the registry", documentsIn(file));
  } catch (error) {
    const message = `a message of the registry cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    yield failed({ rule: "unreadable", message });
  }
}

function* documentsIn(file: string): Generator<JsonObject, void, void> {
  const documents = new CatalogDocuments();
  const packages: ServedPackage[] = [];
  const heads = new Map<string, string>();
  const keyOf = ({ packageName, name }: ServedBundle): string => JSON.stringify([packageName, name]);
  for (const { kind, bytes } of readCapture(file)) {
    if (kind === "package") {
      packages.push(readServedPackage(bytes));
      continue;
    }
    const bundle = readServedBundle(bytes);
    if (kind === "head") {
      heads.set(keyOf(bundle), bundle.csvJson);
      continue;
    }
    const headCsv = heads.get(keyOf(bundle));
    yield* documentOf(documents, headCsv === undefined ? bundle : { ...bundle, headCsv });
  }
  for (const each of packages) yield* documents.package(each);
}

/** The catalog in a file with the data of a ConfigMap as JSON. */
export function* configMapBlobs(file: string): Blobs {
  const read = readPackageManifests(parseJson(readFileSync(file, "utf8")) as Readonly<Record<string, string>>);
  if (!read.ok) {
    for (const problem of read.problem) yield failed(problem);
    return;
  }
  const { packages, bundles } = read.value;
  const documents = new CatalogDocuments();
  const all = [
    ...bundles.flatMap((bundle) => [...documentOf(documents, bundle)]),
    ...packages.flatMap((each) => [...documents.package(each)]),
  ];
  yield* blobsOf("the ConfigMap", all);
}

function* documentOf(documents: CatalogDocuments, bundle: ServedBundle): Generator<JsonObject, void, void> {
  const document = documents.bundle(bundle);
  if (document !== undefined) yield document;
}

function blobsOf(file: string, documents: Iterable<JsonObject>): Blobs {
  return blobsOfChunks({ file, chunks: texts(documents) });
}

function* texts(documents: Iterable<JsonObject>): Generator<Uint8Array, void, void> {
  for (const document of documents) yield Buffer.from(`${goJson(document)}\n`);
}
