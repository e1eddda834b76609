import type { JsonObject } from "@purser/kubernetes/json";
import type { Draw } from "../draw.ts";
import type { Fragment, Subject } from "./subject.ts";

const authorization = "authorization.k8s.io/v1";

const resourceAttributes = (draw: Draw): JsonObject => ({
  verb: draw.one(["get", "list", "*", ""]),
  ...(draw.chance(0.8) ? { resource: draw.one(["pods", "configmaps", "*", "things"]) } : {}),
  ...(draw.chance(0.5) ? { namespace: draw.one(["{ns}", "", "default"]) } : {}),
  ...(draw.chance(0.3) ? { group: draw.one(["", "apps", "*"]) } : {}),
  ...(draw.chance(0.2) ? { name: "n", subresource: draw.one(["status", ""]) } : {}),
  ...(draw.chance(0.2)
    ? { labelSelector: { requirements: [{ key: draw.one(["a", "bad key"]), operator: draw.one(["Exists", "Foo"]) }] } }
    : {}),
  ...(draw.chance(0.1) ? { fieldSelector: { rawSelector: draw.one(["a=b", ""]) } } : {}),
});

const attributes: Fragment = (draw) => ({
  spec: draw.chance(0.7)
    ? { resourceAttributes: resourceAttributes(draw) }
    : { nonResourceAttributes: { path: draw.one(["/healthz", "/x", ""]), verb: draw.one(["get", ""]) } },
});

/** Both kinds of attributes at once, or none, are invalid. */
const more: Fragment = (draw) => (draw.chance(0.1) ? { spec: { nonResourceAttributes: { path: "/x" } } } : {});

const asked: Fragment = (draw) => ({
  spec: {
    ...(draw.chance(0.8) ? { user: draw.one(["someone", "", "system:serviceaccount:{ns}:default"]) } : {}),
    ...(draw.chance(0.4) ? { groups: draw.some(["system:masters", "system:authenticated", "g"], 0, 2) } : {}),
    ...(draw.chance(0.2) ? { extra: { k: draw.some(["a", "b"], 0, 2) } } : {}),
  },
});

function review(kind: string, collection: string, fragments: readonly Fragment[], apiVersion = authorization): Subject {
  return { apiVersion, kind, collection, weight: 0.4, base: {}, fragments, status: [], createOnly: true };
}

/** Reviews: create returns the answer and nothing is stored. */
export const reviewSubjects: readonly Subject[] = [
  review("SubjectAccessReview", `/apis/${authorization}/subjectaccessreviews`, [attributes, more, asked]),
  review("SelfSubjectAccessReview", `/apis/${authorization}/selfsubjectaccessreviews`, [attributes, more]),
  review("LocalSubjectAccessReview", `/apis/${authorization}/namespaces/{ns}/localsubjectaccessreviews`, [
    attributes,
    more,
    asked,
  ]),
  review(
    "TokenReview",
    "/apis/authentication.k8s.io/v1/tokenreviews",
    [(draw) => ({ spec: { token: draw.one(["nobody's", ""]), audiences: draw.some(["a", ""], 0, 2) } })],
    "authentication.k8s.io/v1",
  ),
];
