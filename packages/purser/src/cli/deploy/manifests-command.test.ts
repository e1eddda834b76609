import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { UsageError } from "../command.ts";
import { runPurser } from "../testing/run-purser.ts";

const env = {};
const printed = async (...args: readonly string[]): Promise<readonly KubeObject[]> =>
  (await runPurser(["manifests", ...args], { env })).data as unknown as readonly KubeObject[];
const kinds = (objects: readonly KubeObject[]): Readonly<Record<string, number>> => {
  const counted: Record<string, number> = {};
  for (const { kind = "" } of objects) counted[kind] = (counted[kind] ?? 0) + 1;
  return counted;
};

test("purser manifests prints the definitions, policies and objects of both families", async () => {
  const objects = await printed();
  assert.equal(kinds(objects)["CustomResourceDefinition"], 13);
  assert.equal(kinds(objects)["ValidatingAdmissionPolicy"], 6);
  assert.equal(kinds(objects)["Deployment"], 1);
  assert.equal(objects[0]?.metadata.name, "purser-system");
  const { text } = await runPurser(["manifests"], { env });
  assert.equal(text.match(/^---$/gm)?.length, objects.length);
});

test("--apis v1 leaves out everything of OLM v0", async () => {
  const names = (await printed("--apis", "v1")).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  assert.deepEqual(
    names.filter((name) => /operators\.coreos\.com|aggregate-olm|Namespace olm$/.test(name)),
    [],
  );
  assert.ok(names.includes("CustomResourceDefinition clusterextensions.olm.operatorframework.io"));
});

test("--namespace, --image and --replicas are those of the Deployment", async () => {
  const objects = await printed(
    "--namespace",
    "care",
    "--image",
    "registry.example/purser@sha256:1",
    "--replicas",
    "3",
  );
  const deployment = JSON.stringify(objects.find(({ kind }) => kind === "Deployment"));
  assert.match(deployment, /"namespace":"care"/);
  assert.match(deployment, /"image":"registry\.example\/purser@sha256:1"/);
  assert.match(deployment, /"replicas":3/);
});

test("--rights prints the ServiceAccount and its Roles alone", async () => {
  assert.deepEqual(kinds(await printed("--rights")), {
    ServiceAccount: 1,
    ClusterRole: 1,
    ClusterRoleBinding: 1,
    Role: 1,
    RoleBinding: 1,
  });
});

test("--variant openshift reads catalogs of openshift-marketplace", async () => {
  const objects = await printed("--variant", "openshift");
  assert.match(
    JSON.stringify(objects.find(({ kind }) => kind === "Deployment")),
    /"--global-namespace=openshift-marketplace"/,
  );
});

test("--remove prints how to remove everything", async () => {
  const { text } = await runPurser(["manifests", "--remove", "--apis", "v0"], { env });
  assert.match(text, /^# 1\. .*\nkubectl delete subscriptions/m);
  assert.match(text, /purser manifests --namespace purser-system --apis v0 \| kubectl delete --ignore-not-found -f -/);
});

const refused: readonly (readonly [args: readonly string[], message: string])[] = [
  [["--replicas", "0"], '--replicas "0" is not a number from 1 to 9'],
  [["--replicas", "10"], '--replicas "10" is not a number from 1 to 9'],
  [["--image", "a b"], '--image "a b" is not the name of an image'],
];
for (const [args, message] of refused)
  test(`purser manifests ${args.join(" ")} is refused`, () =>
    assert.rejects(printed(...args), (error) => error instanceof UsageError && error.message === message));

test("a namespace that no cluster can have is refused", () =>
  assert.rejects(
    printed("--namespace", "Not_One"),
    (error) => error instanceof UsageError && error.message.startsWith("--namespace "),
  ));
