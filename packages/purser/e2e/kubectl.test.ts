// With PURSER_E2E_KUBECONFIG the same steps run on the cluster of that file, in a namespace of their own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Cluster } from "@purser/apiserver/testing/cluster";
import { clusterOf, embeddedCluster } from "@purser/apiserver/testing/cluster";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { KubectlSession, smokeSteps } from "./kubectl-smoke.ts";

const kubectl = findKubectl(process.env);
const given = process.env["PURSER_E2E_KUBECONFIG"];
const skip = kubectl === undefined ? "not here: no kubectl in KUBEBUILDER_ASSETS or PATH" : false;
const namespace = `kubectl-${process.pid}`;

describe(`kubectl works with ${given === undefined ? "the embedded server" : given}`, { skip }, () => {
  const scratch = mkdtempSync(join(tmpdir(), "purser-kubectl-"));
  let cluster: Cluster | undefined;
  let session: KubectlSession | undefined;
  before(async () => {
    cluster = given === undefined ? await embeddedCluster() : clusterOf(given);
    const kubeconfig = await cluster.kubeconfig();
    session = new KubectlSession({ kubectl: kubectl ?? "", kubeconfig, cache: join(scratch, "cache"), namespace });
    await session.ok(["create", "namespace", namespace]);
  });
  after(async () => {
    await session?.run(["delete", "namespace", namespace, "--wait=false"]);
    await cluster?.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  for (const [name, step] of smokeSteps)
    test(name, async () => {
      if (session === undefined) throw new Error("the server did not start");
      await step(session);
    });
});
