import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { defaultValues } from "../../src/deploy/values.ts";
import { runPurser } from "../../src/cli/testing/run-purser.ts";
import { wholeInstallation } from "./files.ts";
import { identityOf } from "./kustomize.ts";

const root = resolve(import.meta.dirname, "../../../..");

test("the image of the manifests has the version of the package", () => {
  const { version } = JSON.parse(readFileSync(join(root, "packages/purser/package.json"), "utf8")) as {
    readonly version: string;
  };
  assert.equal(defaultValues.image, `purser:${version}`);
});

test("purser manifests prints the objects of deploy/base", async () => {
  const { data } = await runPurser(["manifests"], { env: {} });
  assert.deepEqual(
    (data as unknown as readonly KubeObject[]).map(identityOf).toSorted(),
    wholeInstallation(defaultValues).map(identityOf).toSorted(),
  );
});
