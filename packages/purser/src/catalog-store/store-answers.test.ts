import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { create, createFileRegistry, fromBinary, toJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { loadCatalog } from "../catalog/loading/load.ts";
import { indexOf } from "../catalog/memory-index.ts";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { protocolFiles } from "../registry-api/grpc/protocol.ts";
import { bytesOf } from "../registry-api/http/body.ts";
import { matching, servedIndex } from "../registry-api/http/served-catalog.ts";
import { canonicalJson, compareBytes } from "@purser/kubernetes/text/documents";
import { openIndex } from "./open.ts";
import { writeIndex } from "./write-index.ts";

const root = mkdtempSync(join(tmpdir(), "purser-answers-"));
after(() => rmSync(root, { recursive: true, force: true }));

const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...protocolFiles] }));
function decoded(message: Uint8Array): JsonObject {
  const schema = registry.getMessage("api.Bundle");
  assert.ok(schema !== undefined);
  const json: unknown = toJson(schema, fromBinary(schema, message));
  assert.ok(isJsonObject(json));
  return json;
}

/** A generated bundle, from which both the blob and the expected answer are made. */
interface Bundle {
  readonly version: string;
  readonly image: boolean;
  readonly objects: number;
  readonly provides: readonly string[];
  readonly requires: readonly string[];
  readonly needs: boolean;
  readonly deprecated: boolean;
  readonly word: string;
}

interface Package {
  readonly name: string;
  readonly bundles: readonly Bundle[];
  /** By channel: positions of bundles from first to head, and names that the head skips. */
  readonly channels: readonly { readonly name: string; readonly from: number; readonly skips: readonly string[] }[];
}

const word = fc.stringMatching(/^[a-z<>&"\\ü😀\n ]{0,6}$/u);
const kinds = fc.uniqueArray(fc.constantFrom("Kiln", "Loom", "Mast"), { maxLength: 2 });
const bundle = fc.record({
  version: fc.constant(""),
  image: fc.boolean(),
  objects: fc.integer({ min: 0, max: 2 }),
  provides: kinds,
  requires: kinds,
  needs: fc.boolean(),
  deprecated: fc.boolean(),
  word,
});
const pack = (name: string): fc.Arbitrary<Package> =>
  fc
    .tuple(
      fc.array(bundle, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(3), fc.array(fc.constantFrom("gone.v1", "gone.v2"), { maxLength: 2 })), {
        maxLength: 2,
      }),
    )
    .map(([bundles, more]) => ({
      name,
      bundles: bundles.map((each, index) => ({
        ...each,
        version: `${index + 1}.0.0`,
        image: each.image || each.objects === 0,
      })),
      channels: [[0, []] as const, ...more].map(([from, skips], index) => ({
        name: ["stable", "a/b", "z\u0000c"][index] ?? "",
        from: Math.min(from, bundles.length - 1),
        skips,
      })),
    }));
const catalogs = fc
  .uniqueArray(fc.constantFrom("alpha", "beta", "gamma"), { minLength: 1, maxLength: 3 })
  .chain((names) => fc.tuple(...names.map(pack)));

const nameOf = ({ name }: Package, { version }: Bundle): string => `${name}.v${version}`;
const api = (kind: string): JsonObject => ({ group: "a.example.com", version: "v1", kind });
const object = (owner: Package, each: Bundle, at: number): string =>
  JSON.stringify({
    kind: at === 0 ? "ClusterServiceVersion" : "Other",
    metadata: { name: nameOf(owner, each), note: each.word },
  });

function blobs(owner: Package): readonly JsonObject[] {
  return [
    { schema: "olm.package", name: owner.name, defaultChannel: "stable" },
    ...owner.channels.map(({ name, from, skips }) => ({
      schema: "olm.channel",
      package: owner.name,
      name,
      entries: owner.bundles.slice(from).map((each, index, all) => ({
        name: nameOf(owner, each),
        ...(index === 0 ? {} : { replaces: nameOf(owner, all[index - 1] ?? each) }),
        ...(index === all.length - 1 && skips.length > 0 ? { skips } : {}),
      })),
    })),
    ...owner.bundles.map((each) => ({
      schema: "olm.bundle",
      package: owner.name,
      name: nameOf(owner, each),
      image: each.image ? `registry.example.com/${owner.name}:${each.version}` : "",
      properties: [
        { type: "olm.package", value: { packageName: owner.name, version: each.version } },
        ...each.provides.map((kind) => ({ type: "olm.gvk", value: api(kind) })),
        ...each.requires.map((kind) => ({ type: "olm.gvk.required", value: api(kind) })),
        ...(each.needs ? [{ type: "olm.package.required", value: { packageName: "delta", versionRange: ">1" } }] : []),
        { type: "acme.word", value: each.word },
        ...Array.from({ length: each.objects }, (_, at) => ({
          type: "olm.bundle.object",
          value: { data: Buffer.from(object(owner, each, at)).toString("base64") },
        })),
      ],
    })),
    {
      schema: "olm.deprecations",
      package: owner.name,
      entries: owner.bundles
        .filter(({ deprecated }) => deprecated)
        .map((each) => ({ reference: { schema: "olm.bundle", name: nameOf(owner, each) }, message: `!${each.word}` })),
    },
    { schema: "acme.note", package: owner.name, name: "one", size: 12345678901 },
  ];
}

/** The message of ListBundles for one membership, made from the generated package. */
function expected(owner: Package, channel: Package["channels"][number], position: number): JsonObject {
  const each = owner.bundles[position];
  assert.ok(each !== undefined);
  const [first, ...rest] = Array.from({ length: each.objects }, (_, at) => object(owner, each, at));
  const before = owner.bundles[position - 1];
  const required = each.requires.map((kind) => ({ type: "olm.gvk", value: canonicalJson(api(kind)) }));
  const needed = each.needs ? [{ type: "olm.package", value: '{"packageName":"delta","version":">1"}' }] : [];
  const dependencies = [...required, ...needed];
  const isHead = position === owner.bundles.length - 1;
  return {
    csvName: nameOf(owner, each),
    packageName: owner.name,
    channelName: channel.name,
    ...(first === undefined ? {} : { csvJson: first, object: [first, ...rest] }),
    ...(each.image ? { bundlePath: `registry.example.com/${owner.name}:${each.version}` } : {}),
    ...(each.provides.length === 0 ? {} : { providedApis: each.provides.map(api) }),
    ...(each.requires.length === 0 ? {} : { requiredApis: each.requires.map(api) }),
    version: each.version,
    ...(dependencies.length === 0 ? {} : { dependencies }),
    properties: [
      { type: "olm.package", value: canonicalJson({ packageName: owner.name, version: each.version }) },
      ...each.provides.map((kind) => ({ type: "olm.gvk", value: canonicalJson(api(kind)) })),
      ...each.requires.map((kind) => ({ type: "olm.gvk.required", value: canonicalJson(api(kind)) })),
      ...(each.needs ? [{ type: "olm.package.required", value: '{"packageName":"delta","versionRange":">1"}' }] : []),
      { type: "acme.word", value: canonicalJson(each.word) },
    ],
    ...(position > channel.from && before !== undefined ? { replaces: nameOf(owner, before) } : {}),
    ...(isHead && channel.skips.length > 0 ? { skips: channel.skips } : {}),
    ...(each.deprecated ? { deprecation: { message: `!${each.word}` } } : {}),
  };
}

let run = 0;

test("the store of any small catalog answers as the catalog in memory does, and with the messages that follow from it", () => {
  fc.assert(
    fc.property(catalogs, (packages) => {
      const directory = join(root, String(run++));
      mkdirSync(directory);
      const text = packages
        .flatMap(blobs)
        .map((blob) => `${JSON.stringify(blob)}\n`)
        .join("");
      writeFileSync(join(directory, "catalog.json"), text);
      const written = writeIndex(join(directory, "catalog.json"), join(directory, "indexes"));
      assert.ok(written.ok, JSON.stringify(written));
      const opened = openIndex(written.value.file);
      assert.ok(opened.ok);
      const store = opened.value;
      const loaded = loadCatalog([{ file: "catalog.json", text }]).blobs;
      const memory = indexOf(loaded);
      assert.equal(store.digest, memory.digest);
      assert.deepEqual(store.packages(), memory.packages());
      for (const name of memory.packages()) assert.deepEqual(store.package(name), memory.package(name));
      const all = packages.flatMap((owner) =>
        owner.channels.flatMap((channel) =>
          owner.bundles.slice(channel.from).map((each, index) => ({
            key: [channel.name, owner.name, nameOf(owner, each)] as const,
            whole: expected(owner, channel, channel.from + index),
          })),
        ),
      );
      all.sort(
        (a, b) => a.key.map((part, at) => compareBytes(part, b.key[at] ?? "")).find((order) => order !== 0) ?? 0,
      );
      const listed = all.map(({ whole: { csvJson, object: objects, ...rest } }) =>
        rest["bundlePath"] === undefined ? { ...rest, csvJson, object: objects } : rest,
      );
      assert.deepEqual([...store.listedBundles()].map(decoded), listed);
      for (const { key, whole } of all) {
        const { replaces: _replaces, skips: _skips, ...rest } = whole;
        const message = store.bundleMessage(key[1], key[0], key[2]);
        assert.deepEqual(message === undefined ? undefined : decoded(message), rest);
      }
      for (const name of ["gone.v1", "", ...all.map(({ key }) => key[2])]) {
        const found = memory
          .packages()
          .filter((owner) =>
            memory
              .package(owner)
              ?.channels.some(({ bundles }) =>
                bundles.some((each) => (each.replaces ?? "") === name || each.skips.some((skip) => skip === name)),
              ),
          );
        assert.deepEqual(store.packagesReplacing(name), found);
      }
      for (const { name } of packages)
        assert.deepEqual(
          store.customBlobs(name, "acme.note").map((id) => store.blob(id)["name"]),
          ["one"],
        );
      const served = bytesOf(matching(servedIndex(store, 0), { schema: "", package: "", name: "" }));
      assert.equal(Buffer.from(served).toString(), loaded.map(({ json }) => `${canonicalJson(json)}\n`).join(""));
      store.close();
      rmSync(directory, { recursive: true });
    }),
    { numRuns: 60, includeErrorInReport: true },
  );
});

test("a ClusterServiceVersion that is not embedded is made from metadata, package and bundle when one bundle is requested", () => {
  const directory = join(root, "made");
  mkdirSync(directory);
  const blobs: readonly JsonObject[] = [
    { schema: "olm.package", name: "alpha", defaultChannel: "stable", description: "of the package" },
    {
      schema: "olm.channel",
      name: "stable",
      package: "alpha",
      entries: [{ name: "alpha.v1.0.0" }],
    },
    {
      schema: "olm.bundle",
      name: "alpha.v1.0.0",
      package: "alpha",
      image: "registry.example.com/alpha:1",
      properties: [
        { type: "olm.package", value: { packageName: "alpha", version: "1.0.0" } },
        { type: "olm.csv.metadata", value: { displayName: "A <b>", annotations: { z: "1", a: "2" } } },
      ],
    },
  ];
  writeFileSync(join(directory, "catalog.json"), blobs.map((blob) => JSON.stringify(blob)).join("\n"));
  const written = writeIndex(join(directory, "catalog.json"), directory);
  assert.ok(written.ok, JSON.stringify(written));
  const opened = openIndex(written.value.file);
  assert.ok(opened.ok);
  const message = opened.value.bundleMessage("alpha", "stable", "alpha.v1.0.0");
  assert.ok(message !== undefined);
  const { csvJson, object: objects } = decoded(message) as { csvJson: string; object: string[] };
  assert.deepEqual(objects, [csvJson]);
  const { metadata, spec } = JSON.parse(csvJson) as { metadata: JsonObject; spec: JsonObject };
  assert.deepEqual(metadata, { name: "alpha.v1.0.0", annotations: { a: "2", z: "1" } });
  assert.equal(spec["description"], "of the package");
  assert.ok(csvJson.includes('"displayName":"A \\u003cb\\u003e"'));
  const listed = [...opened.value.listedBundles()].map(decoded);
  assert.deepEqual(
    listed.map((each) => "csvJson" in (each as JsonObject)),
    [false],
  );
  opened.value.close();
});

test("names with any characters stay distinct and in order in the table of memberships", async () => {
  const { tupleKey } = await import("./tuple-key.ts");
  const name = fc.string({ unit: fc.constantFrom("\0", "\u0001", "a"), maxLength: 3 });
  const tuple = fc.tuple(name, name, name);
  fc.assert(
    fc.property(tuple, tuple, (left, right) => {
      const order = left.map((part, at) => compareBytes(part, right[at] ?? "")).find((each) => each !== 0) ?? 0;
      assert.equal(Math.sign(compareBytes(tupleKey(...left), tupleKey(...right))), Math.sign(order));
    }),
  );
});
