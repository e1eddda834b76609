import assert from "node:assert/strict";
import { test } from "node:test";
import { indexOfBlobs, shortBlobs } from "../../resolver/testing/short-catalog.ts";
import { deprecationsOf } from "./review-bundle.ts";

test("a bundle's deprecations are those of its package, of its own channel and of itself", () => {
  const entries = [
    { reference: { schema: "olm.package" }, message: "the package is old" },
    { reference: { schema: "olm.channel", name: "stable" }, message: "stable is old" },
    { reference: { schema: "olm.channel", name: "fast" }, message: "fast is old" },
    { reference: { schema: "olm.bundle", name: "kiln.v1.0.0" }, message: "1.0.0 is old" },
  ];
  const index = indexOfBlobs([
    ...shortBlobs({ "kiln/stable": ["kiln.v1.0.0 1.0.0"], "kiln/fast": ["kiln.v2.0.0 2.0.0"] }),
    { schema: "olm.deprecations", package: "kiln", entries },
  ]);
  const found = (index.package("kiln")?.channels ?? [])
    .flatMap(({ bundles }) => bundles)
    .map((bundle) => [bundle.name, deprecationsOf(index, bundle)]);
  assert.deepEqual(Object.fromEntries(found), {
    "kiln.v1.0.0": ["the package is old", "stable is old", "1.0.0 is old"],
    "kiln.v2.0.0": ["the package is old", "fast is old"],
  });
});
