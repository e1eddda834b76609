import assert from "node:assert/strict";
import type { Row } from "../row.ts";
import { eventually } from "../eventually.ts";
import { assertContains } from "../row.ts";
import { at, configMap, itemsOf, text } from "../scene.ts";

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

export const discoveryRows: readonly Row[] = [
  {
    row: 3,
    name: "a verbose health check lists all checks",
    run: async ({ ask }) => {
      const { text: answer } = await ask({ path: "/readyz?verbose" });
      assert.match(answer, /^\[\+\]\S+ ok$/m);
      assert.match(answer, /readyz check passed\n$/);
    },
  },
  {
    row: 3,
    name: "an excluded health check is marked, and an unknown one is reported",
    run: async ({ ask }) => {
      const { text: answer } = await ask({ path: "/readyz?verbose&exclude=etcd&exclude=nosuch" });
      assert.match(answer, /^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd excluded: ok\n/);
      assert.match(
        answer,
        /\[\+\]shutdown ok\nwarn: some health checks cannot be excluded: no matches for "nosuch"\nreadyz check passed\n$/,
      );
    },
  },
  ...["/version", "/"].map((path): Row => ({
    row: 3,
    name: `${path} is plain text`,
    run: async ({ ask }) => {
      const { text: answer } = await ask({ path });
      assert.equal(answer, JSON.stringify(JSON.parse(answer), undefined, 2));
    },
  })),
  {
    row: 9,
    name: "every group has a preferred version",
    run: async ({ ok }) => {
      const groups = at(await ok({ path: "/apis" }), "groups") as readonly {
        readonly versions: readonly { readonly version: string }[];
        readonly preferredVersion: { readonly version: string };
      }[];
      assert.ok(groups.length > 10);
      for (const { versions, preferredVersion } of groups)
        assert.ok(versions.some(({ version }) => version === preferredVersion.version));
    },
  },
  ...["/api", "/apis"].flatMap((path): readonly Row[] => [
    {
      row: 10,
      name: `${path} has an aggregated form with an etag`,
      run: async ({ ask }) => {
        const { headers, object } = await ask({ path, headers: { accept: aggregated } });
        assert.match(headers["content-type"] ?? "", /as=APIGroupDiscoveryList/);
        assertContains(object, { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
        assert.notEqual(headers["etag"] ?? "", "");
      },
    },
    {
      row: 11,
      name: `${path} with a matching etag returns 304`,
      // Other cases' definitions change discovery: requests are repeated until nothing changed in between.
      run: ({ ask }) =>
        eventually(async () => {
          const { headers } = await ask({ path, headers: { accept: aggregated } });
          const again = await ask({
            path,
            headers: { accept: aggregated, "if-none-match": headers["etag"] ?? "" },
          });
          assert.equal(again.code, 304);
          assert.equal(again.text, "");
        }),
    },
  ]),
  {
    row: 13,
    name: "discovery of core/v1 has short names and storage hash of ConfigMaps",
    run: async ({ ok }) => {
      const resources = at(await ok({ path: "/api/v1" }), "resources") as readonly { readonly name: string }[];
      const entry = resources.find(({ name }) => name === "configmaps");
      assertContains(entry, { shortNames: ["cm"], storageVersionHash: "qFsyl6wFWjQ=", singularName: "configmap" });
    },
  },
  {
    row: 14,
    name: "the scale subresource of Deployments has another group",
    run: async ({ ok }) => {
      const resources = at(await ok({ path: "/apis/apps/v1" }), "resources") as readonly { readonly name: string }[];
      const entry = resources.find(({ name }) => name === "deployments/scale");
      assertContains(entry, { group: "autoscaling", version: "v1", kind: "Scale" });
    },
  },
  {
    row: 15,
    name: "an established definition is discoverable and listable immediately",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      assert.equal((await scene.ask({ path })).code, 200);
      await eventually(async () => {
        const object = await scene.ok({ path: "/apis", headers: { accept: aggregated } });
        assert.ok(itemsOf(object).some((item) => text(item, "metadata", "name") === scene.group));
      });
    },
  },
  {
    row: 16,
    name: "YAML is returned on request",
    run: async ({ ask, cms }) => {
      const answer = await ask({ path: `${cms}/a`, headers: { accept: "application/yaml" } });
      assert.match(answer.headers["content-type"] ?? "", /^application\/yaml/);
      assert.match(answer.text, /^apiVersion: v1\n/);
    },
  },
  {
    row: 31,
    name: "a Table has the kind's columns and rows with metadata",
    run: async ({ ok, cms }) => {
      const object = await ok({ path: `${cms}/a`, headers: { accept: table } });
      const columns = at(object, "columnDefinitions") as readonly { readonly name: string }[];
      assert.deepEqual(
        columns.map(({ name }) => name),
        ["Name", "Data", "Age"],
      );
      const rows = at(object, "rows") as readonly { readonly object: { readonly kind: string } }[];
      assert.equal(rows[0]?.object.kind, "PartialObjectMetadata");
    },
  },
  {
    row: 32,
    name: "Table rows without objects",
    run: async ({ ok, cms }) => {
      const object = await ok({ path: `${cms}?includeObject=None`, headers: { accept: table } });
      const rows = at(object, "rows") as readonly { readonly object: unknown }[];
      assert.ok(rows.length > 0);
      for (const row of rows) assert.equal(row.object, null);
    },
  },
  {
    row: 35,
    name: "a PartialObjectMetadataList",
    run: async ({ ok, cms }) => {
      const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
      const object = await ok({ path: cms, headers: { accept } });
      assertContains(object, { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
    },
  },
  {
    row: 36,
    name: "long responses are compressed for clients that accept it, short ones are not",
    run: async ({ ask, make, cms }) => {
      await make("long", { data: { k: "x".repeat(200_000) } });
      const headers = { "accept-encoding": "gzip" };
      assert.equal((await ask({ path: `${cms}/long`, headers })).headers["content-encoding"], "gzip");
      assert.equal((await ask({ path: `${cms}/a`, headers })).headers["content-encoding"], undefined);
    },
  },
  {
    row: 40,
    name: "pretty responses are indented",
    run: async ({ ask, cms }) => {
      assert.match((await ask({ path: `${cms}/a?pretty=true` })).text, /^\{\n {2}"kind"/);
      assert.match((await ask({ path: `${cms}/a`, headers: { "user-agent": "curl/8.1" } })).text, /^\{\n {2}"kind"/);
    },
  },
  {
    row: 42,
    name: "the Audit-Id of the request is returned",
    run: async ({ ask, cms }) => {
      const answer = await ask({ path: `${cms}/a`, headers: { "audit-id": "f00d" } });
      assert.equal(answer.headers["audit-id"], "f00d");
    },
  },
  {
    row: 46,
    name: "the OpenAPI 3 index lists groups; current hashes are immutable, outdated ones redirect",
    run: async (scene) => {
      await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      await eventually(async () => {
        const paths = at(await scene.ok({ path: "/openapi/v3" }), "paths") as Readonly<
          Record<string, { readonly serverRelativeURL: string }>
        >;
        assert.ok(Object.hasOwn(paths, `apis/${scene.group}/v1`));
        const url = paths["api/v1"]?.serverRelativeURL ?? "";
        const current = await scene.ask({ path: url });
        assert.equal(current.code, 200);
        assert.match(current.headers["cache-control"] ?? "", /immutable/);
        const old = await scene.ask({ path: "/openapi/v3/api/v1?hash=0" });
        assert.equal(old.code, 301);
      });
    },
  },
  {
    row: 28,
    name: "a ConfigMap of another version is refused",
    ask: { method: "POST", path: "/api/v1/namespaces/{ns}/configmaps", body: { ...configMap("x"), apiVersion: "v9" } },
    code: 400,
  },
];
