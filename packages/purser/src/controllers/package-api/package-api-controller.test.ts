import assert from "node:assert/strict";
import { test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import { apiServices } from "@purser/kubernetes/apis/resources";
import { createClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { withdrawPackageApi } from "./package-api-controller.ts";

const never = new AbortController().signal;

test("a process that stops leaves the APIService of the process that has followed it", async (context) => {
  const server = await createApiServer();
  context.after(() => server.stop());
  const client = createClient(server.transport());
  const key = { name: "v1.packages.operators.coreos.com" };
  const object = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { ...key, labels: { "app.kubernetes.io/managed-by": "purser" } },
    spec: {
      group: "packages.operators.coreos.com",
      version: "v1",
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      caBundle: btoa("follower"),
      service: { namespace: "olm", name: "purser-package-api" },
    },
  };
  written(await client.write({ verb: "create", type: apiServices, object }, never));
  await withdrawPackageApi(client, "former", never);
  assert.notEqual(await client.get(apiServices, key), undefined);
  await withdrawPackageApi(client, "follower", never);
  assert.equal(await client.get(apiServices, key), undefined);
});
