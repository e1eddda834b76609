import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { done } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { createImages } from "./create-images.ts";
import { registrySource } from "./registry/registry-source.ts";
import { removeTree } from "./store/remove-tree.ts";
import { FaultRegistry } from "./testing/fault-registry.ts";
import { testImage } from "./testing/test-image.ts";
import { parsedReference, sourceOptions, testConnections } from "./testing/test-source.ts";

const bundles = 300;
const { signal } = new AbortController();

test("300 bundles asked for at once arrive from a registry that is overloaded now and then", async (context) => {
  const registry = await FaultRegistry.start();
  const connections = testConnections();
  const directory = mkdtempSync(join(tmpdir(), "many-pulls-"));
  const images = createImages({
    directory,
    clock: systemClock,
    openSource: ({ reference }) =>
      done(registrySource(parsedReference(reference), sourceOptions(reference, { connections }))),
  });
  context.after(async () => {
    await images.close();
    await connections.close();
    await registry[Symbol.asyncDispose]();
    await removeTree(directory);
  });
  const names = ["manifests", "metadata"];
  const labels = Object.fromEntries(
    names.map((name) => [`operators.operatorframework.io.bundle.${name}.v1`, `${name}/`]),
  );
  const references: string[] = [];
  for (let number = 0; number < bundles; number++) {
    const files = Object.fromEntries(names.map((name) => [`${name}/a.yaml`, `number: ${number}`]));
    references.push(registry.push(`bundles:v${number}`, await testImage([files], { labels })));
  }
  // Fewer than the tries of one request, which may meet all of them.
  for (const position of ["manifest", "blob"] as const)
    registry.fail(position, { fault: { kind: "status", status: 503 }, times: 3 });
  const pulls = references.map((reference) =>
    images.pull({ reference, wanted: "bundle", credentials: [], policy: [] }, { signal }),
  );
  const failures = (await Promise.all(pulls)).flatMap((pulled) => (pulled.ok ? [] : pulled.problem.cause));
  assert.deepEqual(failures, []);
});
