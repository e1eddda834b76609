import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { refusalOf } from "@purser/kubernetes/kube/refusal";
import { isPreflightFault, preflightFault } from "./phase-preflight.ts";

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
