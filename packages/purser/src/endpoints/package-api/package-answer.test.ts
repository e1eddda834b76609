import assert from "node:assert/strict";
import { test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import { createClient } from "@purser/kubernetes/kube/client";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { CatalogContent, Content } from "../../content/content.ts";
import { sourceNamed } from "../../package-manifests/testing/offers.ts";
import { AccessReviews } from "../callers/access-reviews.ts";
import type { OfferingOptions } from "./offered-packages.ts";
import { answerPackageRequest, type PackageAnswer } from "./package-answer.ts";

const never = new AbortController().signal;
const root = { name: "root", groups: ["system:masters"] };

test("readiness waits for the first read of every catalog, and an answer names those without content", async (context) => {
  const server = await createApiServer();
  context.after(() => server.stop());
  let state: CatalogContent["state"] = { kind: "pending", since: 0 };
  const clock = new VirtualClock();
  const source = { ...sourceNamed("cat"), spec: { sourceType: "grpc", image: "example.com/catalog:1" } };
  const options = {
    reader: { list: () => Promise.resolve([source]) } as unknown as OfferingOptions["reader"],
    content: { catalog: () => ({ state, index: undefined }) } as unknown as Content,
    clock,
    globalNamespace: "olm",
    reviews: new AccessReviews(createClient(server.transport()), clock),
  };
  const ask = (path: string): Promise<PackageAnswer> => {
    const request = { method: "GET", path, query: new URLSearchParams(), accept: "", ifNoneMatch: "", user: root };
    return answerPackageRequest(request, options, never);
  };
  assert.deepEqual([(await ask("/readyz")).status, (await ask("/livez")).status], [500, 200]);
  state = { kind: "failing", since: 0, cause: "secret address", remedy: "" };
  assert.equal((await ask("/readyz")).status, 200);
  const warning = '299 - "CatalogSource olm/cat has no content: its packages are missing"';
  const path = "/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests";
  const list = await ask(path);
  assert.deepEqual([list.status, list.headers["warning"]], [200, warning]);
  const single = await ask(`${path}/pkg`);
  assert.deepEqual([single.status, single.headers["warning"]], [404, warning]);
  const group = await ask("/apis/packages.operators.coreos.com");
  assert.equal(group.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse((await Array.fromAsync(group.body)).join("")), {
    kind: "APIGroup",
    apiVersion: "v1",
    name: "packages.operators.coreos.com",
    versions: [{ groupVersion: "packages.operators.coreos.com/v1", version: "v1" }],
    preferredVersion: { groupVersion: "packages.operators.coreos.com/v1", version: "v1" },
  });
});
