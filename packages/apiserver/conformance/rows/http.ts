import type { RequestRow, Row } from "../row.ts";
import { hostileBodyRows, hostilePatchRows, pathRows, prototypeRows, queryRows, rawRows } from "./bad-requests.ts";
import { configMap } from "../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";
const json = { "content-type": "application/json" };

const unrouted = { code: 404, message: "the server could not find the requested resource", contains: { details: {} } };
const wrongMethod = {
  code: 405,
  message: "the server does not allow this method on the requested resource",
  reason: "MethodNotAllowed",
};

const plainRoutingRows: readonly RequestRow[] = [
  {
    row: 1,
    name: "/version is readable for anonymous users",
    ask: { path: "/version", as: "anonymous" },
    code: 200,
    contains: { gitVersion: "v1.36.3" },
  },
  {
    row: 2,
    name: "/readyz is readable for anonymous users",
    ask: { path: "/readyz", as: "anonymous" },
    code: 200,
    text: "ok",
  },
  {
    row: 4,
    name: "discovery is forbidden for anonymous users",
    ask: { path: "/api", as: "anonymous" },
    code: 403,
    message: 'forbidden: User "system:anonymous" cannot get path "/api"',
  },
  {
    row: 263,
    name: "users without permission get 403, not 404, for unknown resources",
    ask: { path: "/api/v1/nope", as: "anonymous" },
    code: 403,
    message:
      'nope is forbidden: User "system:anonymous" cannot list resource "nope" in API group "" at the cluster scope',
  },
  { row: 5, name: "an unknown path is a plain 404", ask: { path: "/nope" }, code: 404, text: "404 page not found\n" },
  {
    row: 8,
    name: "an unknown group gets a plain text 404",
    ask: { path: "/apis/nope" },
    code: 404,
    text: "404 page not found\n",
  },
  { row: 6, name: "an unknown core resource is a Status", ask: { path: "/api/v1/nope" }, ...unrouted },
  { row: 7, name: "an unknown version is a Status", ask: { path: "/apis/apps/v9/deployments" }, ...unrouted },
  {
    row: 39,
    name: "a namespaced name without a namespace does not exist",
    ask: { path: "/api/v1/configmaps/a" },
    ...unrouted,
  },
  {
    row: 39,
    name: "a cluster-scoped kind within a namespace does not exist",
    ask: { path: "/api/v1/namespaces/{ns}/nodes" },
    ...unrouted,
  },
  { row: 38, name: "POST to a name is no method", ask: { method: "POST", path: `${cms}/a`, body: {} }, ...wrongMethod },
  { row: 38, name: "PUT to a collection is no method", ask: { method: "PUT", path: cms, body: {} }, ...wrongMethod },
  {
    row: 38,
    name: "PATCH of a collection is not allowed",
    ask: { method: "PATCH", path: cms, body: {} },
    ...wrongMethod,
  },
  {
    row: 38,
    name: "deletecollection of namespaces is not allowed",
    ask: { method: "DELETE", path: "/api/v1/namespaces" },
    ...wrongMethod,
  },
  {
    row: 41,
    name: "an invalid timeout is a bad request",
    ask: { path: `${cms}?timeout=abc` },
    code: 400,
    message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
  },
  {
    row: 41,
    name: "invalid percent-encoding is a bad request",
    ask: { path: "/api/v1/namespaces/%zz" },
    code: 400,
  },
  {
    row: 12,
    name: "the aggregated form exists only for /api and /apis",
    ask: {
      path: "/apis/apps/v1",
      headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
    },
    code: 406,
    message:
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  },
];

/** Paths, queries and protocol. */
export const routingRows: readonly Row[] = [...plainRoutingRows, ...pathRows, ...queryRows, ...rawRows];

export const negotiationRows: readonly RequestRow[] = [
  {
    row: 17,
    name: "an unsupported Accept header is refused with the supported types",
    ask: { path: `${cms}/a`, headers: { accept: "text/html" } },
    code: 406,
    message:
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    reason: "NotAcceptable",
  },
  {
    row: 18,
    name: "application/* alone is refused",
    ask: { path: `${cms}/a`, headers: { accept: "application/*" } },
    code: 406,
  },
  {
    row: 19,
    name: "a Go client that prefers protobuf gets JSON",
    ask: { path: `${cms}/a`, headers: { accept: "application/vnd.kubernetes.protobuf,application/json" } },
    code: 200,
  },
  {
    row: 20,
    name: "a controller-runtime client gets JSON",
    ask: { path: `${cms}/a`, headers: { accept: "application/vnd.kubernetes.protobuf, */*" } },
    code: 200,
  },
  {
    row: 24,
    name: "an unsupported content type is refused with the supported types",
    ask: { method: "POST", path: cms, body: "x", headers: { "content-type": "text/plain" } },
    code: 415,
    reason: "UnsupportedMediaType",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  },
  {
    row: 142,
    name: "a PATCH needs a patch content type",
    ask: { method: "PATCH", path: `${cms}/a`, body: "{}", headers: json },
    code: 415,
    message: "415: Unsupported Media Type",
  },
  {
    row: 31,
    name: "a Table row has PartialObjectMetadata by default",
    ask: { path: `${cms}/a`, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } },
    code: 200,
    contains: { kind: "Table", apiVersion: "meta.k8s.io/v1" },
  },
  {
    row: 33,
    name: "an unknown includeObject is refused",
    ask: { path: `${cms}?includeObject=Bad`, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } },
    code: 400,
    message:
      "Unable to convert to Table as requested: includeObject: Invalid value: \"Bad\": must be 'Metadata', 'Object', 'None', or empty",
  },
  {
    row: 35,
    name: "PartialObjectMetadata of one object",
    ask: { path: `${cms}/a`, headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } },
    code: 200,
    contains: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } },
  },
  {
    row: 35,
    name: "PartialObjectMetadataList of one object is refused",
    ask: { path: cms, headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } },
    code: 406,
    message: "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
  },
];

const plainBodyRows: readonly RequestRow[] = [
  {
    row: 25,
    name: "a body without a content type is JSON",
    ask: { method: "POST", path: cms, body: JSON.stringify(configMap("no-type")) },
    code: 201,
  },
  {
    row: 29,
    name: "a body may omit what the path contains",
    ask: { method: "POST", path: cms, body: '{"metadata":{"name":"bare"}}', headers: json },
    code: 201,
    contains: { kind: "ConfigMap", apiVersion: "v1" },
  },
  {
    row: 26,
    name: "y in YAML is a boolean, which is not a name",
    ask: {
      method: "POST",
      path: cms,
      body: "metadata:\n  name: y\n",
      headers: { "content-type": "application/yaml" },
    },
    code: 400,
    reason: "BadRequest",
  },
  {
    row: 27,
    name: "a truncated body is quoted by its first bytes",
    ask: { method: "POST", path: cms, body: "{", headers: json },
    code: 400,
    message:
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
  },
  {
    row: 27,
    name: "an empty body is refused",
    ask: { method: "POST", path: cms, body: "", headers: json },
    code: 400,
    message:
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
  },
  {
    row: 28,
    name: "a Secret sent as a ConfigMap is refused",
    ask: { method: "POST", path: cms, body: '{"kind":"Secret","apiVersion":"v1"}', headers: json },
    code: 400,
    message:
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  },
  {
    row: 30,
    name: "another namespace in the body is refused",
    ask: { method: "POST", path: cms, body: configMap("x", { metadata: { namespace: "other" } }) },
    code: 400,
    message: "the namespace of the provided object does not match the namespace sent on the request",
  },
  {
    row: 27,
    name: "excessive nesting is refused",
    ask: {
      method: "POST",
      path: cms,
      body: `{"metadata":{"name":"deep"},"data":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
      headers: json,
    },
    code: 400,
  },
  {
    row: 37,
    name: "a body of 4 MiB is refused",
    ask: { method: "POST", path: cms, body: "x".repeat(4 * 1024 * 1024), headers: json },
    code: 413,
    message: "Request entity too large: limit is 3145728",
  },
  {
    row: 83,
    name: "names of Object.prototype members are ordinary keys",
    ask: {
      method: "POST",
      path: cms,
      body: '{"metadata":{"name":"proto"},"data":{"__proto__":"x","constructor":"y"}}',
      headers: json,
    },
    code: 201,
  },
  {
    row: 83,
    name: "Strict refuses unknown and duplicate fields",
    ask: {
      method: "POST",
      path: `${cms}?fieldValidation=Strict`,
      body: '{"metadata":{"name":"s"},"data":{"a":"1","a":"2"},"bogus":1}',
      headers: json,
    },
    code: 400,
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", unknown field "bogus"',
  },
  {
    row: 82,
    name: "Warn is the default and warns",
    ask: { method: "POST", path: cms, body: configMap("warned", { bogus: 1, Data: {} }) },
    code: 201,
    warnings: ['unknown field "bogus"', 'unknown field "Data"'],
  },
  {
    row: 82,
    name: "Ignore is silent",
    ask: { method: "POST", path: `${cms}?fieldValidation=Ignore`, body: configMap("silent", { bogus: 1 }) },
    code: 201,
    warnings: [],
  },
  {
    row: 85,
    name: "an unknown field validation is refused",
    ask: { method: "POST", path: `${cms}?fieldValidation=Foo`, body: configMap("f") },
    code: 422,
    message:
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"',
  },
];

export const bodyRows: readonly Row[] = [...plainBodyRows, ...hostileBodyRows, ...hostilePatchRows, ...prototypeRows];
