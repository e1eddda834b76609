import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { packageIcon } from "./package-icon.ts";
import type { AnswerForm } from "./package-request.ts";
import { offered } from "./testing/offers.ts";
import { listFrame, listItem, singleManifest } from "./written-manifests.ts";

const now = Date.parse("2026-01-01T00:03:00Z");
const metadata = { "1.0.0": { displayName: "Operator", provider: { name: "Example" }, labels: { tier: "gold" } } };
const catalog = { defaultChannel: "stable", channels: { stable: ["1.0.0"] }, metadata };
const icon = { base64data: "PHN2Zy8+", mediatype: "image/svg+xml" };
const withIcon = offered({ ...catalog, icon });
const item = (form: AnswerForm, namespace?: string): Record<string, unknown> =>
  JSON.parse(
    listItem(withIcon, { kind: "list", labels: [], form, ...(namespace === undefined ? {} : { namespace }) }, now) ??
      "null",
  ) as Record<string, unknown>;
const objectMeta = {
  name: "pkg",
  namespace: "olm",
  creationTimestamp: "2026-01-01T00:00:00Z",
  labels: {
    catalog: "cat",
    "catalog-namespace": "olm",
    provider: "Example",
    "provider-url": "",
    tier: "gold",
    "operatorframework.io/os.linux": "supported",
    "operatorframework.io/arch.amd64": "supported",
  },
};

suite("PackageManifests as they are written", () => {
  test("lists and single reads have no icons", () => {
    const text = listItem(withIcon, { kind: "list", labels: [], form: { kind: "objects" } }, now) ?? "";
    const single = singleManifest(
      withIcon,
      { kind: "get", namespace: "olm", name: "pkg", form: { kind: "objects" } },
      now,
    );
    assert.equal(text.includes("displayName"), true);
    assert.equal(text.includes("icon"), false);
    assert.equal(`${text}\n`, single);
  });

  test("a table has name, catalog and age, and the metadata of the object unless more or less is asked for", () => {
    const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: objectMeta };
    assert.deepEqual(item({ kind: "table", include: "Metadata" }), {
      cells: ["pkg", "Catalog cat", "3m"],
      object: partial,
    });
    assert.deepEqual(item({ kind: "table", include: "None" }), { cells: ["pkg", "Catalog cat", "3m"] });
    assert.deepEqual(item({ kind: "table", include: "Object" })["object"], item({ kind: "objects" }));
    assert.deepEqual(item({ kind: "metadata" }), partial);
  });

  test("a list is valid JSON of its kind, with and without items", () => {
    const kindOf = (form: AnswerForm): unknown => {
      const { head, tail } = listFrame(form);
      const { kind } = JSON.parse(head + tail) as { readonly kind: string };
      const filled = JSON.parse(`${head}{},{}${tail}`) as { readonly items?: unknown[]; readonly rows?: unknown[] };
      return [kind, (filled.items ?? filled.rows)?.length];
    };
    assert.deepEqual(
      [kindOf({ kind: "objects" }), kindOf({ kind: "metadata" }), kindOf({ kind: "table", include: "None" })],
      [
        ["PackageManifestList", 2],
        ["PartialObjectMetadataList", 2],
        ["Table", 2],
      ],
    );
  });

  test("a namespaced read shows the namespace that was asked for, and its labels the real one", () => {
    const { metadata: shown } = item({ kind: "objects" }, "mine");
    assert.deepEqual(shown, { ...objectMeta, namespace: "mine" });
  });

  test("labels decide whether a package is listed", () => {
    const listed = (value: string): boolean =>
      listItem(
        withIcon,
        { kind: "list", labels: [{ operator: "in", key: "tier", values: [value] }], form: { kind: "metadata" } },
        now,
      ) !== undefined;
    assert.deepEqual([listed("gold"), listed("silver")], [true, false]);
  });

  test("the icon is that of the default channel's head, with an ETag that changes with the head", () => {
    const { bytes, ...rest } = packageIcon(withIcon) ?? { bytes: new Uint8Array() };
    assert.deepEqual(rest, { mediaType: "image/svg+xml", etag: '"pkg.stable.pkg.v1.0.0"' });
    assert.equal(new TextDecoder().decode(bytes), "<svg/>");
  });

  test("a package without an icon has a grey circle with an ETag of its own, one without a head has none", () => {
    const blank = packageIcon(offered(catalog));
    assert.deepEqual([blank?.mediaType, blank?.etag], ["image/svg+xml", '"purser-no-icon"']);
    assert.match(new TextDecoder().decode(blank?.bytes), /^<svg .*#8a8d90/);
    const empty = JSON.stringify({ spec: { icon: [{ base64data: "", mediatype: "image/png" }] } });
    assert.deepEqual(packageIcon({ ...withIcon, headCsv: () => empty }), blank);
    assert.equal(packageIcon({ ...withIcon, headCsv: () => "" }), undefined);
  });

  test("of bad base64 the part that can be decoded is the icon", () => {
    const iconOf = (base64data: string): string => {
      const spec = { icon: [{ base64data, mediatype: "image/png" }] };
      const found = packageIcon({ ...withIcon, headCsv: () => JSON.stringify({ spec }) });
      return new TextDecoder().decode(found?.bytes);
    };
    assert.deepEqual(["YWJj", "YW\nJj", "YWI=", "YWJjZGV%", "YWJjYQ=", "%"].map(iconOf), [
      "abc",
      "abc",
      "ab",
      "abc",
      "abc",
      "",
    ]);
  });
});
