import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoles, customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import { invariant } from "@purser/kubernetes/invariant";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { ApiFamily } from "../apis/api-family.ts";
import { catalogSources, clusterCatalogs, clusterServiceVersions } from "../apis/olm-resources.ts";
import { improved } from "../compat.ts";
import { startLifecycle } from "./lifecycle.ts";

const { signal } = new AbortController();
let directory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "purser-family-"));
});
after(() => rm(directory, { recursive: true, force: true }));

/** What a process of one family leaves and watches on a cluster of its own. */
async function ranAlone(family: ApiFamily): Promise<Readonly<Record<string, readonly string[]>>> {
  const server = await createApiServer();
  const real = createClient(server.transport());
  const watched = new Set<string>();
  const client: KubeClient = {
    ...real,
    watch: (type, ...more) => {
      watched.add(type.group);
      return real.watch(type, ...more);
    },
  };
  const started = await startLifecycle(
    {
      client,
      identities: userIdentities({ client, asUser: (user) => server.transport(user) }),
      families: [family],
      catalogs: [{ namespace: "tenant", name: "community", path: directory }],
      bundleDirectories: [],
      cacheDirectory: join(directory, family),
      compat: improved,
      webhookCertificates: "own",
      clock: systemClock,
      entropy: systemEntropy,
      log: () => {},
      doors: { host: "127.0.0.1", port: 0, debug: false },
    },
    "apply",
    signal,
  );
  invariant(started.ok, "it starts");
  await started.value.engine.synced();
  const made = (await real.list(namespaces)).map(({ metadata: { name = "" } }) => name);
  const definitions = (await real.list(customResourceDefinitions)).map(({ spec }) => spec.group);
  const roles = (await real.list(clusterRoles)).map(({ metadata: { name = "" } }) => name);
  const served = async (type: ResourceType): Promise<readonly string[]> =>
    definitions.includes(type.group) ? (await real.list(type)).map(() => type.kind) : [];
  const found = {
    namespaces: made.filter((name) => /^(olm|olmv1-system|operators|tenant)$/.test(name)),
    definitions: [...new Set(definitions)],
    roles: roles.filter((name) => name.startsWith("aggregate-olm-")),
    catalogs: [...(await served(catalogSources)), ...(await served(clusterCatalogs))],
    watched: [...watched].filter((group) => /operators\.coreos|operatorframework/.test(group)),
  };
  await started.value.stop();
  await server.stop();
  return found;
}

test("a process of v0 alone makes and watches nothing of v1", async () => {
  assert.deepEqual(await ranAlone("v0"), {
    namespaces: ["olm", "operators", "tenant"],
    definitions: [clusterServiceVersions.group, "purser.dev"],
    roles: ["aggregate-olm-edit", "aggregate-olm-view"],
    catalogs: ["CatalogSource"],
    watched: [clusterServiceVersions.group],
  });
});

test("a process of v1 alone makes and watches nothing of v0", async () => {
  assert.deepEqual(await ranAlone("v1"), {
    namespaces: ["olmv1-system"],
    definitions: [clusterCatalogs.group, "purser.dev"],
    roles: [],
    catalogs: ["ClusterCatalog"],
    watched: [clusterCatalogs.group],
  });
});
