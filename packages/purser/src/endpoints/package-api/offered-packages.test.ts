import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { CatalogContent, Content } from "../../content/content.ts";
import { sourceNamed } from "../../package-manifests/testing/offers.ts";
import { isReady, offeredPackages, type OfferingOptions } from "./offered-packages.ts";

const never = new AbortController().signal;
const pending: CatalogContent = { state: { kind: "pending", since: 0 }, index: undefined };
const failing: CatalogContent = { state: { kind: "failing", since: 0, cause: "c", remedy: "r" }, index: undefined };

/** One CatalogSource in namespace `olm` whose content is `state()`, and the number of times that it was asked for. */
function options(clock: VirtualClock, state: () => CatalogContent): OfferingOptions {
  const source = { ...sourceNamed("cat"), spec: { sourceType: "grpc", image: "example.com/catalog:1" } };
  const reader: Pick<ObjectReader, "list"> = {
    list: <Type extends KubeObject>(_type: unknown, scope: { readonly namespace?: string } = {}) =>
      Promise.resolve(scope.namespace === undefined || scope.namespace === "olm" ? [source as unknown as Type] : []),
  };
  return { reader, content: { catalog: state } as unknown as Content, clock, globalNamespace: "olm" };
}

suite("what a read of PackageManifests sees", () => {
  test("waits for a catalog that is being read for the first time", async () => {
    const clock = new VirtualClock();
    let asked = 0;
    const reading = offeredPackages(
      options(clock, () => (++asked < 3 ? pending : failing)),
      "default",
      undefined,
      never,
    );
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(50);
    }
    assert.deepEqual(await reading, { packages: [], missing: ["olm/cat"] });
    assert.ok(clock.now() - new VirtualClock().now() < 5000);
  });

  test("waits 5 seconds at most, and names the catalogs that are missing", async () => {
    const clock = new VirtualClock();
    let seen: unknown;
    const reading = offeredPackages(
      options(clock, () => pending),
      undefined,
      undefined,
      never,
    ).then((found) => (seen = found));
    for (let waited = 0; waited < 4950; waited += 50) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(50);
    }
    assert.equal(seen, undefined);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(50);
    await reading;
    assert.deepEqual(seen, { packages: [], missing: ["olm/cat"] });
  });

  test("is ready when every catalog was read once, also if that failed", async () => {
    const clock = new VirtualClock();
    assert.deepEqual(
      [await isReady(options(clock, () => pending)), await isReady(options(clock, () => failing))],
      [false, true],
    );
  });
});
