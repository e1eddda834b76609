import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { realCatalogs } from "../../conformance/real-data.ts";
import fc from "fast-check";
import { blobsOf } from "./loading/load.ts";
import { mermaidOf } from "./opm/render-graph.ts";
import { opmMigrate, opmRender } from "./opm/render.ts";
import type { OutputFormat } from "./opm/write-blobs.ts";
import { smallCatalog } from "./testing/small-catalog.ts";
import { canonicalJson, readDocuments } from "@purser/kubernetes/text/documents";

const source = (text: string): Parameters<typeof opmMigrate>[0] => ({
  reference: "cat",
  read: () => blobsOf({ file: "cat/c.yaml", text }, { refuseEmptyDocuments: true }),
});

function render(text: string, format: OutputFormat): string {
  const { exit, stdout, stderr } = opmRender([source(text)], format, "none");
  assert.deepEqual([exit, stderr], [0, ""]);
  return stdout;
}

const custom = (schema: string, more = ""): string => `---\nschema: ${schema}\n${more}`;
const mixed = `${custom("loose")}${custom("zz", "package: bar\n")}${smallCatalog("foo", ["1.0.0", "1.1.0"])}${custom("aa", "package: foo\nname: x\n")}---
schema: olm.deprecations
package: foo
entries: []
---
schema: olm.channel
package: foo
name: alpha
entries: []
${smallCatalog("bar", ["2.0.0"])}`;

test("packages are written by name, in each the package, channels and bundles by name, custom blobs, deprecations", () => {
  const read = readDocuments(render(mixed, "json"));
  assert.ok(read.ok);
  const shown = read.value.map(({ value }) => {
    const { schema, package: packageName, name } = value as Record<string, string>;
    return [packageName, schema, name].filter((part) => part !== undefined).join(" ");
  });
  assert.deepEqual(shown, [
    "olm.package bar",
    "bar olm.channel stable",
    "bar olm.bundle bar.v2.0.0",
    "bar zz",
    "olm.package foo",
    "foo olm.channel alpha",
    "foo olm.channel stable",
    "foo olm.bundle foo.v1.0.0",
    "foo olm.bundle foo.v1.1.0",
    "foo aa x",
    "foo olm.deprecations",
    "loose",
  ]);
});

test("YAML documents begin with a separator and have their keys in order; related images always have both fields", () => {
  const text = render(`${smallCatalog("foo", ["1.0.0"])}relatedImages:\n- image: a\n- name: b\n`, "yaml");
  assert.ok(text.startsWith("---\n"));
  assert.equal(text.split("---\n").length, 4);
  assert.match(text, /relatedImages:\n- image: ""\n {2}name: b\n- image: a\n {2}name: ""\n/);
  for (const document of text.split("---\n").slice(1)) {
    const keys = document.split("\n").flatMap((line) => /^(\w+):/.exec(line)?.[1] ?? []);
    assert.deepEqual(keys, keys.toSorted());
  }
});

test("a directory has a file for each package and one for blobs of none; a name that leaves the directory is refused", () => {
  const { files, exit } = opmMigrate(source(mixed), "out", "yaml", "none");
  assert.equal(exit, 0);
  assert.deepEqual([...files.keys()], ["bar/catalog.yaml", "foo/catalog.yaml", "catalog.yaml"]);
  assert.equal(files.get("catalog.yaml"), "---\nschema: loose\n");
  const refused = opmMigrate(source("schema: x\npackage: ../x\n"), "out", "yaml", "none");
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /invalid package name \\"\.\.\/x\\": must be a single local path element/);
});

test("the drawn graph of a package names its package, channels and edges", () => {
  const blobs = [...blobsOf({ file: "f", text: smallCatalog("foo", ["1.0.0", "1.1.0"]) })].flatMap((blob) =>
    blob.ok ? [blob.value] : [],
  );
  const drawn = mermaidOf(blobs, {});
  assert.ok(drawn.ok);
  assert.match(drawn.value.text, /^graph LR\n/);
  assert.match(
    drawn.value.text,
    /foo-stable-foo\.v1\.0\.0\["foo\.v1\.0\.0"\].*foo-stable-foo\.v1\.1\.0\["foo\.v1\.1\.0"\]/s,
  );
  assert.equal(mermaidOf(blobs, { minimumEdge: "nope" }).ok, false);
});

test("a graph with a bundle of no version or of two is not drawn, in the words of opm", () => {
  const drawn = (properties: string) => {
    const text = `---\nschema: olm.bundle\nname: p.v1\npackage: p\nproperties: ${properties}\n`;
    return mermaidOf(
      [...blobsOf({ file: "f", text })].flatMap((blob) => (blob.ok ? [blob.value] : [])),
      {},
    );
  };
  const version = '{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}';
  const problem = 'bundle "p.v1" has multiple "olm.package" properties, expected exactly 1';
  assert.equal(drawn(`[${version}]`).ok, true);
  assert.deepEqual(drawn("[]"), { ok: false, problem });
  assert.deepEqual(drawn(`[${version},${version}]`), { ok: false, problem });
});

test("what was rendered renders to itself, in both forms and across them", () => {
  const value = fc.jsonValue({ noUnicodeString: false });
  const blob = fc.record({
    schema: fc.constantFrom("custom", "x.y/z"),
    package: fc.constantFrom("", "p"),
    name: fc.string(),
    value,
  });
  fc.assert(
    fc.property(fc.array(blob, { minLength: 1, maxLength: 3 }), (blobs) => {
      const text = blobs.map((each) => JSON.stringify(each)).join("\n");
      const json = render(text, "json");
      assert.equal(render(json, "json"), json);
      const yaml = opmRender([source(json)], "yaml", "none");
      // Upstream's writer refuses some control characters.
      if (yaml.exit !== 0) return;
      assert.equal(render(yaml.stdout, "yaml"), yaml.stdout);
    }),
    { numRuns: 120 },
  );
  for (const format of ["json", "yaml"] as const) {
    const once = render(mixed, format);
    assert.equal(render(once, format), once);
  }
  assert.equal(render(render(mixed, "yaml"), "json"), render(mixed, "json"));
});

test("a custom blob keeps its unknown fields; reading keeps integers that no double holds", () => {
  const text = 'schema: custom\nunknown: {a: [1, 2.5, -0.0, 1e21, 18446744073709551615], b: "<&>", c: ~}\n';
  const [blob] = [...blobsOf({ file: "f", text })];
  assert.ok(blob?.ok === true);
  assert.equal(
    canonicalJson(blob.value.json),
    '{"schema":"custom","unknown":{"a":[1,2.5,-0,1e+21,18446744073709551615],"b":"<&>","c":null}}',
  );
  const again = [...blobsOf({ file: "f", text: canonicalJson(blob.value.json) })];
  assert.deepEqual(again[0]?.ok === true && again[0].value.json, blob.value.json);
});

test("real catalogs render to a fixed point", () => {
  // Some of each; the golden suite has all.
  for (const release of realCatalogs) {
    const names = readdirSync(release).slice(0, 3);
    for (const name of names) {
      const file = join(release, name, "catalog.yaml");
      if (!existsSync(file)) continue;
      const text = readFileSync(file, "utf8");
      if (text.length > 500_000) continue;
      const yaml = render(text, "yaml");
      assert.equal(render(yaml, "yaml") === yaml, true, `${release}/${name}`);
      const json = render(yaml, "json");
      assert.equal(render(json, "json") === json, true, `${release}/${name}`);
    }
  }
});
