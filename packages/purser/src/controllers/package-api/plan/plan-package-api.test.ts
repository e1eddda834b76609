import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { Service } from "@purser/kubernetes/apis/core";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { namesAuthority, type PackageApiWorld, planPackageApi } from "./plan-package-api.ts";

const address = { kind: "process" as const, host: "10.0.0.5", port: 7445, authorityPem: "PEM", namespace: "olm" };
const own = { "app.kubernetes.io/managed-by": "purser" };
const serviceKey = { namespace: "olm", name: "purser-package-api" };
const wantedService: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...serviceKey, labels: own },
  spec: { type: "ExternalName", externalName: "10.0.0.5", ports: [{ name: "https", port: 7445, protocol: "TCP" }] },
};
const wantedSpec = {
  group: "packages.operators.coreos.com",
  version: "v1",
  groupPriorityMinimum: 2000,
  versionPriority: 15,
  caBundle: "UEVN",
  service: { ...serviceKey, port: 7445 },
};
const wantedApiService: APIService = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.packages.operators.coreos.com", labels: own },
  spec: wantedSpec,
};
const available = (status: string): NonNullable<APIService["status"]> => ({
  conditions: [{ type: "Available", status }],
});
const foreign = (status: string): APIService => ({
  ...wantedApiService,
  metadata: {
    name: "v1.packages.operators.coreos.com",
    resourceVersion: "7",
    labels: { "olm.owner": "packageserver" },
  },
  spec: { ...wantedSpec, service: { namespace: "olm", name: "packageserver-service", port: 5443 } },
  status: available(status),
});
const planned = (world: Partial<PackageApiWorld>): readonly unknown[] =>
  planPackageApi({ address, apiService: undefined, service: undefined, ...world }).actions.map((action) =>
    action.kind === "leave" ? `leave ${action.server}` : written(action.write),
  );
const written = (write: ObjectWrite): unknown =>
  "object" in write
    ? [write.verb, write.object]
    : [write.verb, write.type.kind, "key" in write ? write.key : undefined];

suite("the registration of the package API", () => {
  test("a Service that cannot be kept is deleted only as it was seen", () => {
    const metadata = { ...wantedService.metadata, uid: "u", resourceVersion: "8" };
    const service = { ...wantedService, metadata, spec: { type: "ClusterIP" } } as Service;
    const { actions } = planPackageApi({ address, apiService: undefined, service });
    const [first] = actions.flatMap((action) => (action.kind === "leave" ? [] : [action.write]));
    assert.ok(first?.verb === "delete");
    assert.deepEqual(first.preconditions, { uid: "u", resourceVersion: "8" });
  });

  test("writes the Service before the APIService that names it", () => {
    assert.deepEqual(planned({}), [
      ["create", wantedService],
      ["create", wantedApiService],
    ]);
  });

  test("writes nothing when both are as wanted, whatever the API server added", () => {
    const service = { ...wantedService, spec: { ...wantedService.spec, sessionAffinity: "None" } };
    const apiService = { ...wantedApiService, status: available("False") };
    assert.deepEqual(planned({ service, apiService }), []);
  });

  test("makes the Service anew when it leads elsewhere or is of another type", () => {
    const spec = { type: "ExternalName", externalName: "10.0.0.5", ports: [{ port: 7445 }] };
    for (const change of [{ externalName: "10.0.0.6" }, { ports: [{ port: 1 }] }, { type: "ClusterIP" }]) {
      const service: Service = { ...wantedService, spec: { ...spec, ...change } };
      assert.deepEqual(planned({ service, apiService: wantedApiService }), [
        ["delete", "Service", serviceKey],
        ["create", wantedService],
      ]);
    }
  });

  test("replaces an APIService of a former process, with its resourceVersion as precondition", () => {
    const metadata = { ...wantedApiService.metadata, resourceVersion: "9" };
    const spec = { ...wantedSpec, caBundle: "b3RoZXI=" };
    for (const apiService of [
      { ...wantedApiService, metadata, spec, status: available("True") },
      { ...wantedApiService, metadata: { ...metadata, labels: {} } },
    ])
      assert.deepEqual(planned({ service: wantedService, apiService }), [
        ["replace", { ...wantedApiService, metadata }],
      ]);
  });

  test("leaves an available APIService of another package server and its namespace alone", () => {
    assert.deepEqual(planned({ apiService: foreign("True") }), ["leave olm/packageserver-service"]);
  });

  test("takes over an APIService of another package server that is not available, without its labels", () => {
    const metadata = { ...wantedApiService.metadata, resourceVersion: "7" };
    const world = { address, service: wantedService, apiService: foreign("False") };
    assert.deepEqual(planned(world), [["replace", { ...wantedApiService, metadata }]]);
    assert.deepEqual(
      planPackageApi(world).actions.map((action) => [action.kind, "server" in action ? action.server : ""]),
      [["takeOver", "olm/packageserver-service"]],
    );
    assert.deepEqual(
      planPackageApi({ address, service: undefined, apiService: undefined }).actions.map(({ kind }) => kind),
      ["write", "write"],
    );
  });

  test("an APIService is this process's when it has the process's own authority", () => {
    assert.deepEqual(
      [namesAuthority(wantedApiService, "PEM"), namesAuthority(wantedApiService, "other")],
      [true, false],
    );
  });

  suite("with a Service that leads to every replica", () => {
    const shared = {
      kind: "service" as const,
      service: { namespace: "purser-system", name: "purser-packages", port: 443 },
      authorityPem: "PEM",
      namespace: "olm",
    };
    const spec = { ...wantedSpec, service: { namespace: "purser-system", name: "purser-packages", port: 443 } };
    const registration = { ...wantedApiService, spec };

    test("writes the APIService alone", () => {
      assert.deepEqual(planned({ address: shared }), [["create", registration]]);
      assert.deepEqual(planned({ address: shared, apiService: registration }), []);
    });

    test("deletes the Service of a former leader once the APIService does not name it any more", () => {
      const metadata = { ...wantedApiService.metadata, resourceVersion: "9" };
      const apiService = { ...wantedApiService, metadata };
      assert.deepEqual(planned({ address: shared, service: wantedService, apiService }), [
        ["replace", { ...registration, metadata }],
        ["delete", "Service", serviceKey],
      ]);
    });

    test("leaves a Service of the same name that Purser did not make", () => {
      const service = { ...wantedService, metadata: serviceKey };
      assert.deepEqual(planned({ address: shared, service, apiService: registration }), []);
    });

    test("writes the authority of a new certificate", () => {
      const renewed = { ...shared, authorityPem: "other" };
      const wanted = { ...registration, spec: { ...spec, caBundle: "b3RoZXI=" } };
      assert.deepEqual(planned({ address: renewed, apiService: registration }), [["replace", wanted]]);
    });

    test("names the object with which it is deleted, also after that was made anew", () => {
      const owner = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "purser", uid: "1" };
      const owned = { ...registration, metadata: { ...registration.metadata, ownerReferences: [owner] } };
      assert.deepEqual(planned({ address: { ...shared, owner }, apiService: registration }), [["replace", owned]]);
      assert.deepEqual(planned({ address: { ...shared, owner }, apiService: owned }), []);
      const anew = { ...owner, uid: "2" };
      const wanted = { ...registration, metadata: { ...registration.metadata, ownerReferences: [anew] } };
      assert.deepEqual(planned({ address: { ...shared, owner: anew }, apiService: owned }), [["replace", wanted]]);
    });

    test("leaves the authority to the service CA where the Secret holds none", () => {
      const { authorityPem: _, ...injected } = shared;
      const annotations = { "service.beta.openshift.io/inject-cabundle": "true" };
      const { caBundle: __, ...bare } = spec;
      const wanted = { ...registration, metadata: { ...registration.metadata, annotations }, spec: bare };
      assert.deepEqual(planned({ address: injected }), [["create", wanted]]);
      const held = { ...wanted, spec: { ...bare, caBundle: "aW5qZWN0ZWQ=" } };
      assert.deepEqual(planned({ address: injected, apiService: held }), []);
      assert.deepEqual(planned({ address: injected, apiService: registration }), [
        ["replace", { ...wanted, spec: { ...bare, caBundle: "UEVN" } }],
      ]);
    });
  });
});
