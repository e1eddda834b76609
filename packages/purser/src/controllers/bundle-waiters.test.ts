import assert from "node:assert/strict";
import { test } from "node:test";
import { bundleKey, type BundleRequest } from "../catalog/content.ts";
import type { Content } from "../content/content.ts";
import { BundleWaiters } from "./bundle-waiters.ts";

const request: BundleRequest = { reference: "r/a:1", packageName: "a", version: "1.0.0", credentials: [], policy: [] };

/** Content that has nothing and records for whom it was asked and who was released. */
function recording(): { readonly content: Content; readonly seen: string[] } {
  const seen: string[] = [];
  const content: Content = {
    catalog: () => ({ state: { kind: "pending", since: 0 }, index: undefined }),
    bundle: (_, holder) => {
      seen.push(`ask ${holder}`);
      return { state: { kind: "pending", since: 0 }, objects: undefined };
    },
    release: (holder) => void seen.push(`release ${holder}`),
    notices: async function* () {},
  };
  return { content, seen };
}

test("a bundle is held by the object of the key that asked for it, until that is released", () => {
  const { content, seen } = recording();
  const plans = new BundleWaiters(content, "InstallPlan");
  const extensions = new BundleWaiters(content, "ClusterExtension");
  plans.ask(request, { namespace: "a", name: "b" });
  plans.release({ namespace: "a", name: "b" });
  extensions.ask(request, { name: "b" });
  extensions.release({ name: "b" });
  assert.deepEqual(seen, [
    "ask InstallPlan a/b",
    "release InstallPlan a/b",
    "ask ClusterExtension b",
    "release ClusterExtension b",
  ]);
});

test("all keys that wait for a bundle are woken once by a notice about it, and by no other notice", () => {
  const waiters = new BundleWaiters(recording().content, "InstallPlan");
  const keys = [{ namespace: "a", name: "b" }, { namespace: "c", name: "b" }, { name: "b" }];
  for (const key of [...keys, keys[0] ?? { name: "" }]) waiters.ask(request, key);
  waiters.ask({ ...request, version: "2.0.0" }, { name: "other" });
  const key = bundleKey(request);
  assert.deepEqual(waiters.woken({ kind: "catalog", key }), []);
  assert.deepEqual(waiters.woken({ kind: "bundle", key: "unknown" }), []);
  assert.deepEqual(waiters.woken({ kind: "bundle", key }), keys);
  assert.deepEqual(waiters.woken({ kind: "bundle", key }), []);
  assert.deepEqual(waiters.woken({ kind: "bundle", key: bundleKey({ ...request, version: "2.0.0" }) }), [
    { name: "other" },
  ]);
});
