import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../../catalog/catalog-view.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { crdBreaks } from "./crd-breaks.ts";

const crd = (name: string, properties: object) =>
  JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group: "g.io",
      scope: "Namespaced",
      names: { kind: "A", plural: "as" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
      ],
    },
  });

const text = { type: "string" };
const [whole, less, least, more] = [
  crd("as.g.io", { a: text, b: text, c: text }),
  crd("as.g.io", { a: text, b: text }),
  crd("as.g.io", {}),
  crd("as.g.io", { a: text, b: text, c: text, d: text }),
];
const nameless = JSON.stringify({ kind: "CustomResourceDefinition", metadata: 1 });

/** What breaks in a package whose channels have these entries, given manifests by bundle. */
function breaks(channels: readonly string[], manifests: Readonly<Record<string, readonly string[]>>) {
  const catalog = [
    "schema: olm.package\nname: foo\ndefaultChannel: c0\n",
    ...channels.map(
      (entries, index) => `---\nschema: olm.channel\npackage: foo\nname: c${index}\nentries: [${entries}]\n`,
    ),
    ...Object.entries(manifests).map(([name, objects]) => {
      const embedded = objects.map(
        (object) => `, {type: olm.bundle.object, value: {data: ${Buffer.from(object).toString("base64")}}}`,
      );
      return `---\nschema: olm.bundle\npackage: foo\nname: ${name}\nimage: i\nproperties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}${embedded.join("")}]\n`;
    }),
  ].join("");
  const one = viewOf(loadCatalog([{ file: "c.yaml", text: catalog }]).blobs).packages.get("foo");
  assert.ok(one !== undefined);
  return crdBreaks(one).map(({ rule, message, why, bundle, place }) => {
    assert.deepEqual([rule, place?.file], ["PBN104", "c.yaml"]);
    return { message, why, bundle };
  });
}

const next = "{name: a}, {name: b, replaces: a}";

test("a bundle that removes a field of an API of the one before it breaks it, once for all channels", () => {
  const message = 'bundle "b" breaks the API as.g.io of "a"';
  const [found, ...others] = breaks([next, next], { a: [whole], b: [less] });
  assert.deepEqual([found?.message, found?.bundle, others], [message, "b", []]);
  assert.equal(found?.why, "existingFieldRemoval: removed field : v1.^.c (and 1 more)");
  const cluster = whole.replace("Namespaced", "Cluster");
  assert.equal(
    breaks([next], { a: [whole], b: [cluster] })[0]?.why,
    'scope: scope changed : "Namespaced" -> "Cluster"',
  );
});

test("equal, extended and new APIs break nothing, nor do bundles that embed none, or that replace what does not exist", () => {
  assert.deepEqual(
    [
      breaks([next], { a: [whole], b: [whole] }),
      breaks([next], { a: [whole], b: [more] }),
      breaks([next], { a: [whole], b: [crd("bs.g.io", {})] }),
      breaks([next], { a: [], b: [less] }),
      breaks([next], { a: [whole], b: [] }),
      breaks([next], { a: [nameless], b: [nameless] }),
      breaks(["{name: b, replaces: a}"], { b: [less] }),
      breaks([next], { a: [whole] }),
      breaks(["{name: a}, {name: b}"], { a: [whole], b: [less] }),
    ],
    [[], [], [], [], [], [], [], [], []],
  );
});

test("each pair of neighbours is compared on its own", () => {
  const chain = "{name: a}, {name: b, replaces: a}, {name: c, replaces: b}";
  const found = breaks([chain, "{name: a}, {name: c, replaces: a}"], { a: [whole], b: [less], c: [least] });
  assert.deepEqual(
    found.map(({ message }) => message),
    [
      'bundle "b" breaks the API as.g.io of "a"',
      'bundle "c" breaks the API as.g.io of "b"',
      'bundle "c" breaks the API as.g.io of "a"',
    ],
  );
});
