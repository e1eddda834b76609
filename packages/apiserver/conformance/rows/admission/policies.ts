import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, configMap } from "../../scene.ts";

const api = "/apis/admissionregistration.k8s.io/v1";
const apiVersion = "admissionregistration.k8s.io/v1";
const rule: JsonObject = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

/** Enforces a policy in the case's namespace; it must deny objects named `bad`. */
export async function enforce(scene: Scene, spec: JsonObject, binding: JsonObject = {}): Promise<void> {
  const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": scene.ns } } };
  await scene.keep(`${api}/validatingadmissionpolicies`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: scene.ns },
    // An invalid policy denies whatever it matches, bound or not: it must match nothing outside the namespace.
    spec: { matchConstraints: { resourceRules: [rule], ...matchResources }, ...spec },
  });
  await scene.keep(`${api}/validatingadmissionpolicybindings`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: scene.ns },
    spec: { policyName: scene.ns, validationActions: ["Deny"], matchResources, ...binding },
  });
}

export function tryCreate(scene: Scene, name: string, more: JsonObject = {}): ReturnType<Scene["ask"]> {
  return scene.ask({ method: "POST", path: `${scene.cms}?dryRun=All`, body: configMap(name, more) });
}

export const inForceMs = 30_000;
export const validation: JsonObject = { expression: "object.metadata.name != 'bad'", message: "bad name" };

export function denied(
  name: string,
  spec: JsonObject,
  code: number,
  reason: string,
  said: string,
  binding?: JsonObject,
): Row {
  return {
    row: 283,
    name,
    run: async (scene) => {
      await enforce(scene, spec, binding);
      const full = `ValidatingAdmissionPolicy '${scene.ns}' with binding '${scene.ns}' denied request: ${said}`;
      await eventually(async () => {
        const answer = await tryCreate(scene, "bad", { data: { k: "v" } });
        assertAnswer(answer, { code, reason, message: `configmaps "bad" is forbidden: ${full}` });
        const [cause] = at(answer.object, "details", "causes") as unknown as readonly JsonObject[];
        assert.equal(cause?.["message"], full);
      }, inForceMs);
      assert.equal((await tryCreate(scene, "good", { data: { k: "v" } })).code, 201);
    },
  };
}

export function invalidPolicy(name: string, spec: JsonObject, message: string): Row {
  return {
    row: 283,
    name,
    run: async (scene) => {
      const answer = await scene.ask({
        method: "POST",
        path: `${api}/validatingadmissionpolicies?dryRun=All`,
        body: { apiVersion, kind: "ValidatingAdmissionPolicy", metadata: { name: scene.ns }, spec },
      });
      assert.equal(answer.code, 422, answer.text);
      assert.ok(answer.message.includes(message), `${answer.message}\n  has not\n  ${message}`);
    },
  };
}

export const constraints: JsonObject = { resourceRules: [rule] };

export const policyRows: readonly Row[] = [
  denied(
    "oldObject is null on create, also inside a comprehension in a variable",
    {
      variables: [
        { name: "new", expression: "['bad'].filter(name, oldObject == null || oldObject.metadata.name != name)" },
      ],
      validations: [{ expression: "!(object.metadata.name in variables.new)", message: "it is new" }],
    },
    422,
    "Invalid",
    "it is new",
  ),
  denied("a denial", { validations: [validation] }, 422, "Invalid", "bad name"),
  denied("a reason", { validations: [{ ...validation, reason: "Forbidden" }] }, 403, "Forbidden", "bad name"),
  invalidPolicy(
    "another reason",
    { matchConstraints: constraints, validations: [{ ...validation, reason: "Unauthorized" }] },
    'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
  ),
  denied(
    "reason RequestEntityTooLarge",
    { validations: [{ ...validation, reason: "RequestEntityTooLarge" }] },
    413,
    "RequestEntityTooLarge",
    "bad name",
  ),
  denied(
    "no message",
    { validations: [{ expression: "object.metadata.name != 'bad'" }] },
    422,
    "Invalid",
    "failed expression: object.metadata.name != 'bad'",
  ),
  denied(
    "messageExpression",
    { validations: [{ ...validation, messageExpression: "'no ' + object.metadata.name" }] },
    422,
    "Invalid",
    "no bad",
  ),
  denied(
    "variables",
    {
      variables: [
        { name: "n", expression: "object.metadata.name" },
        { name: "isBad", expression: "variables.n == 'bad'" },
      ],
      validations: [{ expression: "!variables.isBad", message: "bad name" }],
    },
    422,
    "Invalid",
    "bad name",
  ),
  denied(
    "conditions",
    {
      matchConditions: [{ name: "c", expression: "object.metadata.name == 'bad'" }],
      validations: [{ expression: "false", message: "never" }],
    },
    422,
    "Invalid",
    "never",
  ),
  denied(
    "an expression with a runtime error",
    { validations: [{ expression: "object.metadata.name != 'bad' || object.spec.x == 1" }] },
    422,
    "Invalid",
    "expression 'object.metadata.name != 'bad' || object.spec.x == 1' resulted in error: no such key: spec",
  ),
  denied(
    "namespaceObject",
    {
      validations: [
        { expression: "object.metadata.name != 'bad' || namespaceObject.metadata.name == ''", message: "m" },
      ],
    },
    422,
    "Invalid",
    "m",
  ),
  denied(
    "request",
    {
      validations: [
        {
          expression: "object.metadata.name != 'bad' || request.operation != 'CREATE' || !request.dryRun",
          message: "m",
        },
      ],
    },
    422,
    "Invalid",
    "m",
  ),
  denied(
    "authorizer for the requesting user",
    {
      validations: [
        {
          expression:
            "object.metadata.name != 'bad' || !authorizer.group('').resource('configmaps').namespace('x').check('get').allowed()",
          message: "may",
        },
      ],
    },
    422,
    "Invalid",
    "may",
  ),
  denied(
    "authorizer for a service account",
    {
      validations: [
        {
          expression:
            "object.metadata.name != 'bad' || authorizer.serviceAccount('x', 'y').path('/metrics').check('get').allowed()",
          message: "may not",
        },
      ],
    },
    422,
    "Invalid",
    "may not",
  ),
  denied(
    "authorization checks exceed the cost limit",
    {
      validations: [
        {
          expression:
            "object.metadata.name != 'bad' || [1, 2, 3].all(i, authorizer.requestResource.check('get').allowed())",
        },
      ],
    },
    422,
    "Invalid",
    "expression 'object.metadata.name != 'bad' || [1, 2, 3].all(i, authorizer.requestResource.check('get').allowed())' resulted in error: operation cancelled: actual cost limit exceeded",
  ),
  denied(
    "authorizer.requestResource",
    {
      validations: [
        {
          expression:
            "object.metadata.name != 'bad' || authorizer.requestResource.check('nope').reason() != '' || authorizer.requestResource.check('get').errored()",
          message: "m",
        },
      ],
    },
    422,
    "Invalid",
    "m",
  ),
  {
    row: 283,
    name: "parameters",
    run: async (scene) => {
      // Its own kind: kube-apiserver stops watching the parameters of a kind when another policy stops using it.
      const word = { type: "object", properties: { forbidden: { type: "string" } } };
      const path = await scene.define(scene.definition("foos", "Foo", word));
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "params", { forbidden: "bad" }) });
      const paramRef = { name: "params", namespace: scene.ns, parameterNotFoundAction: "Deny" };
      await enforce(
        scene,
        {
          paramKind: { apiVersion: `${scene.group}/v1`, kind: "Foo" },
          validations: [{ expression: "object.metadata.name != params.forbidden", message: "forbidden by parameter" }],
        },
        { paramRef },
      );
      await eventually(async () => {
        const answer = await tryCreate(scene, "bad");
        assert.equal(answer.code, 422, answer.text);
        assert.match(answer.message, /denied request: forbidden by parameter$/);
      }, inForceMs);
      assert.equal((await tryCreate(scene, "good")).code, 201);
    },
  },
  {
    row: 283,
    name: "missing parameters deny the request",
    run: async (scene) => {
      const paramRef = { name: "none", namespace: scene.ns, parameterNotFoundAction: "Deny" };
      await enforce(
        scene,
        { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [validation] },
        { paramRef },
      );
      await eventually(async () => {
        const answer = await tryCreate(scene, "bad");
        assert.ok(
          answer.message.includes(
            "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
          ),
          answer.text,
        );
      }, inForceMs);
    },
  },
  {
    row: 283,
    name: "validationActions Warn adds a warning",
    run: async (scene) => {
      await enforce(scene, { validations: [validation] }, { validationActions: ["Warn"] });
      await eventually(async () => {
        assertAnswer(await tryCreate(scene, "bad"), {
          code: 201,
          warnings: [
            `Validation failed for ValidatingAdmissionPolicy '${scene.ns}' with binding '${scene.ns}': bad name`,
          ],
        });
      }, inForceMs);
    },
  },
  {
    row: 283,
    name: "failurePolicy Ignore ignores failures",
    run: async (scene) => {
      await enforce(scene, {
        failurePolicy: "Ignore",
        validations: [{ expression: "object.spec.x == 1" }, validation],
      });
      await eventually(async () => assert.equal((await tryCreate(scene, "bad")).code, 422), inForceMs);
      assert.equal((await tryCreate(scene, "good")).code, 201);
    },
  },
  {
    row: 283,
    name: "status of a policy",
    run: async (scene) => {
      await enforce(scene, { validations: [validation] });
      const path = `${api}/validatingadmissionpolicies/${scene.ns}`;
      await eventually(
        async () => assertContains(await scene.ok({ path }), { status: { observedGeneration: 1, typeChecking: {} } }),
        inForceMs,
      );
    },
  },
  invalidPolicy("no constraints", { validations: [validation] }, "spec.matchConstraints: Required value"),
  invalidPolicy(
    "no validations",
    { matchConstraints: constraints },
    "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
  ),
  invalidPolicy(
    "a non-bool expression is refused",
    { matchConstraints: constraints, validations: [{ expression: "1" }] },
    "spec.validations[0].expression: Invalid value: ",
  ),
  invalidPolicy(
    "a non-bool expression is refused with its type",
    { matchConstraints: constraints, validations: [{ expression: "1" }] },
    "must evaluate to bool but got int",
  ),
  invalidPolicy(
    "an expression that does not compile is refused",
    { matchConstraints: constraints, validations: [{ expression: "object." }] },
    "compilation failed: ERROR: <input>:1:",
  ),
  invalidPolicy(
    "an unknown reason is refused",
    { matchConstraints: constraints, validations: [{ expression: "true", reason: "Nope" }] },
    'spec.validations[0].reason: Unsupported value: "Nope"',
  ),
];
