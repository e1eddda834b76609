import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { refusalOf } from "@purser/kubernetes/kube/refusal";
import { isPreflightFault, preflightFault, revisionFault } from "./phase-preflight.ts";

const status = (code: number, reason: string, message = "m", details?: ApiStatus["details"]): ApiStatus => ({
  code,
  reason,
  message,
  ...(details === undefined ? {} : { details }),
});

const answers: readonly (readonly [what: string, ApiStatus, isFault: boolean])[] = [
  ["a value that the schema refuses", status(422, "Invalid"), true],
  ["a missing permission", status(403, "Forbidden"), true],
  ["a body that cannot be read", status(400, "BadRequest"), true],
  ["a kind that is not served any more", status(404, "NotFound"), true],
  ["an unknown user", status(401, "Unauthorized"), true],
  ["fields of another manager", status(409, "Conflict"), true],
  ["a kind that cannot be written", status(405, "MethodNotAllowed"), true],
  ["a format that is not accepted", status(406, "NotAcceptable"), true],
  ["an object that is too large", status(413, "RequestEntityTooLarge"), true],
  ["a form of patch that is not supported", status(415, "UnsupportedMediaType"), true],
  ["a missing namespace", status(404, "NotFound", "m", { kind: "namespaces", name: "n" }), false],
  ["a webhook without dry runs", status(400, "BadRequest", 'admission webhook "w" does not support dry run'), false],
  ["a field of another type", status(500, "", "failed to create typed patch object (ns/a)"), true],
  ["a broken webhook", status(500, "InternalError", "failed calling webhook"), false],
  [
    "an internal error that quotes the text",
    status(500, "InternalError", "failed to create typed patch object"),
    false,
  ],
  ["an object that somebody has just created", status(409, "AlreadyExists"), false],
  ["too many requests", status(429, "TooManyRequests"), false],
];
for (const [what, answer, isFault] of answers)
  test(`a dry run that is refused for ${what} is ${isFault ? "a fault" : "no fault"} of the object`, () => {
    assert.equal(isPreflightFault(refusalOf(answer)), isFault);
  });

test("the text of refused dry runs names the phase by number and name, and every object", () => {
  assert.equal(
    preflightFault(2, "roles", ["ClusterRole.v1 a: x", "ClusterRole.v1 b: y"]),
    'phase 2 validation error: phase "roles": ClusterRole.v1 a: x, ClusterRole.v1 b: y',
  );
});

const account = (name: string, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { namespace: "ns", name, ...metadata },
});
const phases = (...objects: readonly object[]): Parameters<typeof revisionFault>[0] => [
  { name: "a1-b", objects: objects as never },
];
const contents: readonly (readonly [
  what: string,
  phases: Parameters<typeof revisionFault>[0],
  fault: string | undefined,
])[] = [
  ["good objects", phases(account("a"), account("b", { labels: { a: "b" }, annotations: {} })), undefined],
  ["no objects", phases(), undefined],
  ["a name of 63 letters", [{ name: "a".repeat(63), objects: [] }], undefined],
  [
    "a name of 64 letters",
    [{ name: "a".repeat(64), objects: [] }],
    `phase "${"a".repeat(64)}": the name must be a DNS-1035 label`,
  ],
  ["a name that begins with a digit", [{ name: "1a", objects: [] }], 'phase "1a": the name must be a DNS-1035 label'],
  ["a name that ends with a hyphen", [{ name: "a-", objects: [] }], 'phase "a-": the name must be a DNS-1035 label'],
  ["no name", [{ name: "", objects: [] }], 'phase "": the name must be a DNS-1035 label'],
  [
    "every field that the API server sets",
    phases(
      account("a", {
        uid: "u",
        generation: 1,
        generateName: "a-",
        finalizers: [],
        ownerReferences: [],
        resourceVersion: "",
      }),
    ),
    ["uid", "generation", "generateName", "finalizers", "ownerReferences", "resourceVersion"]
      .map((field) => `ServiceAccount.v1 ns/a: metadata.${field} must not be set`)
      .join(", "),
  ],
  [
    "one object in two phases",
    [
      { name: "a", objects: [account("a"), account("b")] as never },
      { name: "b", objects: [account("a")] as never },
    ],
    "ServiceAccount.v1 ns/a: the object is in the revision twice",
  ],
];
for (const [what, content, fault] of contents)
  test(`a revision with ${what}: ${fault ?? "no fault"}`, () =>
    assert.equal(revisionFault(content), fault === undefined ? undefined : `revision validation error: ${fault}`));
