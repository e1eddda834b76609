import type { RequestRow } from "../row.ts";
import { configMap } from "../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";

export const nameRows: readonly RequestRow[] = [
  {
    row: 49,
    name: "a name is required",
    ask: { method: "POST", path: cms, body: { metadata: {} } },
    code: 422,
    message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
  {
    row: 50,
    name: "an invalid name is refused",
    ask: { method: "POST", path: cms, body: configMap("A_b") },
    code: 422,
    reason: "Invalid",
    message: 'ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must…',
  },
  {
    row: 56,
    name: "an existing name is refused",
    ask: { method: "POST", path: cms, body: configMap("a") },
    code: 409,
    reason: "AlreadyExists",
    message: 'configmaps "a" already exists',
    contains: { details: { name: "a", kind: "configmaps" } },
  },
  {
    row: 55,
    name: "a create with resourceVersion is refused",
    ask: { method: "POST", path: cms, body: configMap("rv", { metadata: { resourceVersion: "5" } }) },
    code: 500,
    reason: "",
    message: "resourceVersion should not be set on objects to be created",
  },
  {
    row: 58,
    name: "a missing object is reported with its group",
    ask: { path: "/apis/apps/v1/namespaces/{ns}/deployments/missing" },
    code: 404,
    message: 'deployments.apps "missing" not found',
    contains: { details: { name: "missing", group: "apps", kind: "deployments" } },
  },
  {
    row: 81,
    name: "a create in a missing namespace is refused",
    ask: {
      method: "POST",
      path: "/api/v1/namespaces/nope/configmaps",
      body: configMap("a", { metadata: { namespace: "nope" } }),
    },
    code: 404,
    message: 'namespaces "nope" not found',
  },
  {
    row: 81,
    name: "a list in a missing namespace is empty",
    ask: { path: "/api/v1/namespaces/nope/configmaps" },
    code: 200,
    contains: { items: [] },
  },
  {
    row: 60,
    name: "a stale PUT is a conflict, even when it is invalid",
    ask: {
      method: "PUT",
      path: `${cms}/a`,
      body: configMap("a", { metadata: { resourceVersion: "1", labels: { "a b": "c" } } }),
    },
    code: 409,
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  },
  {
    row: 61,
    name: "an invalid resourceVersion gets 500 without a reason",
    ask: { method: "PUT", path: `${cms}/a`, body: configMap("a", { metadata: { resourceVersion: "abc" } }) },
    code: 500,
    reason: "",
    message: 'strconv.ParseUint: parsing "abc": invalid syntax',
  },
  {
    row: 64,
    name: "a PUT with another name is refused",
    ask: { method: "PUT", path: `${cms}/a`, body: configMap("b") },
    code: 400,
    message: "the name of the object (b) does not match the name on the URL (a)",
  },
  {
    row: 80,
    name: "a PUT of a missing ConfigMap gets 404",
    ask: { method: "PUT", path: `${cms}/nothing`, body: configMap("nothing") },
    code: 404,
  },
  {
    row: 80,
    name: "a PUT of a missing Role creates it",
    ask: {
      method: "PUT",
      path: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles/r",
      body: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules: [] },
    },
    code: 201,
  },
  {
    row: 80,
    name: "a Lease can be replaced only with its resourceVersion",
    ask: {
      method: "PUT",
      path: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/l",
      body: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: {} },
    },
    code: 201,
  },
  {
    row: 68,
    name: "invalid labels are refused",
    ask: { method: "POST", path: cms, body: configMap("label", { metadata: { labels: { k: "x".repeat(64) } } }) },
    code: 422,
  },
  {
    row: 69,
    name: "annotations have a limit of their total size",
    ask: {
      method: "POST",
      path: cms,
      body: configMap("notes", { metadata: { annotations: { k: "x".repeat(262_145) } } }),
    },
    code: 422,
    message: 'ConfigMap "notes" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
  },
  {
    row: 70,
    name: "finalizers must be qualified names",
    ask: { method: "POST", path: cms, body: configMap("fin", { metadata: { finalizers: ["nodomain"] } }) },
    code: 422,
    message:
      'ConfigMap "fin" is invalid: metadata.finalizers[0]: Invalid value: "nodomain": name is neither a standard finalizer name nor is it fully qualified',
  },
  {
    row: 71,
    name: "an owner needs a uid",
    ask: {
      method: "POST",
      path: cms,
      body: configMap("own", {
        metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "" }] },
      }),
    },
    code: 422,
    message: 'ConfigMap "own" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  },
  {
    row: 228,
    name: "default namespaces cannot be deleted",
    ask: { method: "DELETE", path: "/api/v1/namespaces/default" },
    code: 403,
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  },
];
