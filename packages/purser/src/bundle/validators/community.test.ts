import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { smallBundle, smallCrd, smallCsv } from "../testing/small-bundle.ts";
import { type IndexFile, validateCommunity } from "./community.ts";
import { loadBundle } from "./loaded-bundle.ts";

const using =
  "using APIs which were deprecated and removed in v1.22. More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-22";

/** Levels and texts for a bundle with an old CRD; `USING` stands for why it is refused. */
function findings(properties: string | undefined, indexFile: IndexFile): readonly string[] {
  const annotations = properties === undefined ? { a: "b" } : { "olm.properties": properties };
  const crd: JsonObject = { ...smallCrd, apiVersion: "apiextensions.k8s.io/v1beta1" };
  const csv = smallCsv({ minKubeVersion: "" }, { annotations });
  const loaded = loadBundle(smallBundle({ "manifests/crd.json": crd, "manifests/csv.json": csv }), "/b");
  assert.ok(loaded.ok);
  return validateCommunity(loaded.value, indexFile).issues.map(
    ({ level, detail }) => `${level}: ${detail.replaceAll(using, "USING")}`,
  );
}

const allowed = JSON.stringify([{ type: "olm.maxOpenShiftVersion", value: "4.8" }]);
const versions = "com.redhat.openshift.versions";
const labels = (line: string): IndexFile => ({ kind: "read", text: `FROM scratch\n${line}\n` });
const fine = labels(`LABEL ${versions}='v4.6-v4.8'`);

const annotations: readonly (readonly [properties: string | undefined, texts: readonly string[]])[] = [
  [allowed, []],
  [allowed.replace("4.8", "4.8.0+build"), []],
  [
    undefined,
    [
      'Error: (kiln.v1.0.0) csv.Annotations not specified olm.maxOpenShiftVersion for an OCP version < 4.9. This annotation is required to prevent the user from upgrading their OCP cluster before they have installed a version of their operator which is compatible with 4.9. This bundle is USING which are no longer supported on 4.9. Migrate the API(s) for CRD: (["pots.kiln.example.com"]) or use the annotation',
    ],
  ],
  [
    "",
    [
      'Error: (kiln.v1.0.0) csv.Annotations not specified olm.maxOpenShiftVersion for an OCP version < 4.9. This annotation is required to prevent the user from upgrading their OCP cluster before they have installed a version of their operator which is compatible with 4.9. This bundle is USING which are no longer supported on 4.9. Migrate the API(s) for CRD: (["pots.kiln.example.com"]) or use the annotation',
    ],
  ],
  [
    "{",
    [
      'Error: (kiln.v1.0.0) csv.Annotations has an invalid value specified for olm.properties. Please, check the value  ({) and ensure that it is an array such as: "olm.properties": \'[{"type": "key name", "value": "key value"}]\'',
    ],
  ],
  [
    "{}",
    [
      'Error: (kiln.v1.0.0) csv.Annotations has an invalid value specified for olm.properties. Please, check the value  ({}) and ensure that it is an array such as: "olm.properties": \'[{"type": "key name", "value": "key value"}]\'',
    ],
  ],
  [
    '[{"type": 1}]',
    [
      'Error: (kiln.v1.0.0) csv.Annotations has an invalid value specified for olm.properties. Please, check the value  ([{"type": 1}]) and ensure that it is an array such as: "olm.properties": \'[{"type": "key name", "value": "key value"}]\'',
    ],
  ],
  [
    '[{"value": 1}]',
    [
      'Error: (kiln.v1.0.0) csv.Annotations has an invalid value specified for olm.properties. Please, check the value  ([{"value": 1}]) and ensure that it is an array such as: "olm.properties": \'[{"type": "key name", "value": "key value"}]\'',
    ],
  ],
  [
    "[1]",
    [
      'Error: (kiln.v1.0.0) csv.Annotations.olm.properties with the key `olm.maxOpenShiftVersion` and a value with an OCP version which is < 4.9 is required for any operator bundle that is USING. Migrate the API(s) for CRD: (["pots.kiln.example.com"]) or use the annotation',
    ],
  ],
  [
    '[{"type": "other", "value": "4.8"}]',
    [
      'Error: (kiln.v1.0.0) csv.Annotations.olm.properties with the key `olm.maxOpenShiftVersion` and a value with an OCP version which is < 4.9 is required for any operator bundle that is USING. Migrate the API(s) for CRD: (["pots.kiln.example.com"]) or use the annotation',
    ],
  ],
  [
    '[{"type": "olm.maxOpenShiftVersion", "value": "x"}]',
    [
      'Error: (kiln.v1.0.0) csv.Annotations.olm.properties has an invalid value.Unable to parse (x) using semver : Invalid character(s) found in major number "x"',
    ],
  ],
  [
    '[{"type": "olm.maxOpenShiftVersion", "value": "4.8.1"}]',
    [
      "Warning: (kiln.v1.0.0) csv.Annotations.olm.properties has an invalid value. Unable to parse (4.8.1) using semver. The olm.maxOpenShiftVersion property takes major and minor only: 4.8",
    ],
  ],
  [
    '[{"type": "olm.maxOpenShiftVersion", "value": "4.9"}]',
    [
      'Error: (kiln.v1.0.0) csv.Annotations.olm.properties with the key and value for olm.maxOpenShiftVersion has the OCP version value 4.9 which is >= of 4.9. This bundle is USING. Migrate the API(s) for CRD: (["pots.kiln.example.com"]) or inform in this property an OCP version which is < 4.9',
    ],
  ],
];
for (const [properties, texts] of annotations)
  test(`the annotation ${properties ?? "that is absent"} ${texts.length === 0 ? "is fine" : "is not"}`, () =>
    assert.deepEqual(findings(properties, fine), texts));

const files: readonly (readonly [file: IndexFile, texts: readonly string[]])[] = [
  [fine, []],
  [
    { kind: "notGiven" },
    [
      'Warning: (kiln.v1.0.0) please, inform the path of its index image file via the the optional key values and the key index-path to allow this validator check the labels configuration or migrate the API(s) for CRD: (["pots.kiln.example.com"]). (e.g. index-path=./mypath/bundle.Dockerfile). This bundle is USING ',
    ],
  ],
  [
    { kind: "unreadable", path: "/x", message: "no such file" },
    [
      "Error: (kiln.v1.0.0) the index image in the path (/x) was not found. Please, inform the path of the bundle operator index image via the the optional key values and the key index-path. (e.g. index-path=./mypath/bundle.Dockerfile). Error : no such file",
    ],
  ],
  [
    { kind: "directory", path: "/x" },
    [
      "Error: (kiln.v1.0.0) the index image in the path (/x) is not file. Please, inform the path of its index image via the the optional key values and the key index-path. (e.g. index-path=./mypath/bundle.Dockerfile). The value informed is a diretory and not a file",
    ],
  ],
  [
    labels(""),
    [
      "Error: (kiln.v1.0.0) this bundle is USING. Migrate the APIs for CRD: ([\"pots.kiln.example.com\"]) or provide compatible version(s) via the labels. (e.g. LABEL com.redhat.openshift.versions='4.6-4.8')",
    ],
  ],
  [
    labels(`LABEL ${versions} v4.6`),
    [
      "Error: (kiln.v1.0.0) invalid syntax (LABEL com.redhat.openshift.versions v4.6) on the LABEL CRD: ([\"pots.kiln.example.com\"]). Migrate the API(s) for com.redhat.openshift.versions or use the OCP labels. (e.g. LABEL com.redhat.openshift.versions='4.6-4.8')",
    ],
  ],
  [
    labels(`LABEL ${versions}=`),
    ["Error: (kiln.v1.0.0) unable to get the range informed on com.redhat.openshift.versions"],
  ],
  [
    labels(`LABEL ${versions}="4"`),
    ["Error: (kiln.v1.0.0) unable to get the range informed on com.redhat.openshift.versions"],
  ],
  [
    labels(`LABEL ${versions}=v4.6`),
    [
      'Error: (kiln.v1.0.0) this bundle is CRD: (["pots.kiln.example.com"]). The v4.6 allows to distribute it on >= 4.9. Migrate the API(s) for CRD: (["pots.kiln.example.com"]) or provide comatible version(s) via the labels. (e.g. LABEL com.redhat.openshift.versions=\'4.6-4.8\')',
    ],
  ],
  [labels(`LABEL ${versions}=v4.6-v4.8`), []],
  [
    labels(`LABEL ${versions}=v4.6-v4.9`),
    [
      "Error: (kiln.v1.0.0) this bundle is USING. Upgrade the APIs from (v1beta1) to (v1) for CRD: ([\"pots.kiln.example.com\"]) or provide com[atible version(s) via the labels. (e.g. LABEL com.redhat.openshift.versions='4.6-4.8')",
    ],
  ],
  [
    labels(`LABEL ${versions}=v4.6-x`),
    ["Error: (kiln.v1.0.0) unable to parse the value (x) on (com.redhat.openshift.versions)"],
  ],
  [labels(`LABEL ${versions}==v4.8`), []],
  [
    labels(`LABEL ${versions}==v4.9`),
    [
      "Error: (kiln.v1.0.0) this bundle is USING. Migrate the API(s) for CRD: ([\"pots.kiln.example.com\"]) or use the OCP labels for compatible version(s). (e.g. LABEL com.redhat.openshift.versions='=v4.8')",
    ],
  ],
];
for (const [file, texts] of files)
  test(`the Dockerfile ${JSON.stringify(file)} ${texts.length === 0 ? "is fine" : "is not"}`, () =>
    assert.deepEqual(findings(allowed, file), texts));
