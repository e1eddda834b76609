import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";

const row = 301;

const merge = { "content-type": "application/merge-patch+json" };

async function label(scene: Scene, labels: JsonObject): ReturnType<Scene["ask"]> {
  const prefixed = Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
  );
  return scene.ask({
    method: "PATCH",
    path: `/api/v1/namespaces/${scene.ns}`,
    headers: merge,
    body: { metadata: { labels: prefixed } },
  });
}

const bare: JsonObject = { containers: [{ name: "c", image: "x" }] };

function pod(name: string, spec: JsonObject = bare): JsonObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
}

async function submit(scene: Scene, body: JsonObject, query = ""): ReturnType<Scene["ask"]> {
  await eventually(async () => {
    await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/serviceaccounts/default` });
  });
  return scene.ask({ method: "POST", path: `/api/v1/namespaces/${scene.ns}/pods${query}`, body });
}

const restrictedDetail =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

/** Labels take effect asynchronously, because the plug-in reads a cache. */
async function inForce(scene: Scene, labels: JsonObject): Promise<void> {
  assertAnswer(await label(scene, labels), { code: 200 });
}

export const podSecurityRows: readonly Row[] = [
  {
    row,
    name: "Pod Security refuses a pod",
    run: async (scene) => {
      await inForce(scene, { enforce: "restricted" });
      await eventually(async () =>
        assertAnswer(await submit(scene, pod("x"), "?dryRun=All"), {
          code: 403,
          reason: "Forbidden",
          message: `pods "x" is forbidden: violates PodSecurity "restricted:latest": ${restrictedDetail}`,
          contains: { details: { name: "x", kind: "pods", causes: undefined } },
          warnings: [],
        }),
      );
    },
  },
  {
    row,
    name: "Pod Security warns about a pod",
    run: async (scene) => {
      await inForce(scene, { warn: "restricted", "warn-version": "v1.21" });
      const detail = restrictedDetail.replace(/unrestricted capabilities \([^)]*\), /, "");
      await eventually(async () =>
        assertAnswer(await submit(scene, pod("x"), "?dryRun=All"), {
          code: 201,
          warnings: [`would violate PodSecurity "restricted:v1.21": ${detail}`],
        }),
      );
    },
  },
  {
    row,
    name: "Pod Security warns about a template, and its pods are refused",
    run: async (scene) => {
      await inForce(scene, { enforce: "restricted" });
      const template = { metadata: { labels: { a: "b" } }, spec: bare };
      const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
      const path = `/apis/apps/v1/namespaces/${scene.ns}/deployments`;
      await eventually(async () =>
        assertAnswer(
          await scene.ask({ method: "POST", path: `${path}?dryRun=All`, body: { metadata: { name: "d" }, spec } }),
          { code: 201, warnings: [`would violate PodSecurity "restricted:latest": ${restrictedDetail}`] },
        ),
      );
      await scene.ok({ method: "POST", path, body: { metadata: { name: "d" }, spec } });
      await eventually(async () => {
        const { object } = await scene.ask({ path: `${path}/d` });
        const conditions = ((object["status"] ?? {}) as { readonly conditions?: readonly JsonObject[] }).conditions;
        const failure = conditions?.find(({ type }) => type === "ReplicaFailure");
        if (typeof failure?.["message"] !== "string") throw new Error(JSON.stringify(conditions));
        if (!failure["message"].includes(`violates PodSecurity "restricted:latest": ${restrictedDetail}`))
          throw new Error(failure["message"]);
      });
    },
  },
  {
    row,
    name: "raising a namespace's Pod Security level warns about violating pods",
    run: async (scene) => {
      for (const name of ["p2", "p1", "p3"]) assertAnswer(await submit(scene, pod(name)), { code: 201 });
      const host = { ...bare, hostPID: true };
      assertAnswer(await submit(scene, pod("h", host)), { code: 201 });
      await eventually(async () => {
        await label(scene, { enforce: "privileged" });
        assertAnswer(await label(scene, { enforce: "restricted" }), {
          code: 200,
          warnings: [
            `existing pods in namespace "${scene.ns}" violate the new PodSecurity enforce level "restricted:latest"`,
            "h: host namespaces, allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
            "p1 (and 2 other pods): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
          ],
        });
      });
      assertAnswer(await label(scene, { enforce: "baseline" }), { code: 200, warnings: [] });
    },
  },
  {
    row,
    name: "Pod Security evaluates a pod update only when the image changes",
    run: async (scene) => {
      assertAnswer(await submit(scene, pod("x")), { code: 201 });
      await inForce(scene, { enforce: "restricted" });
      const change = (body: JsonObject): ReturnType<Scene["ask"]> =>
        scene.ask({
          method: "PATCH",
          path: `/api/v1/namespaces/${scene.ns}/pods/x`,
          headers: { "content-type": "application/strategic-merge-patch+json" },
          body,
        });
      // A write before the labels were effective changed nothing, so the next one must differ.
      let tries = 0;
      await eventually(async () =>
        assertAnswer(await change({ spec: { containers: [{ name: "c", image: `y:${++tries}` }] } }), {
          code: 403,
          message: `pods "x" is forbidden: violates PodSecurity "restricted:latest": ${restrictedDetail}`,
        }),
      );
      assertAnswer(await change({ metadata: { labels: { l: "m" } } }), { code: 200, warnings: [] });
    },
  },
  {
    row,
    name: "Pod Security labels are validated when a namespace is created",
    ask: {
      method: "POST",
      path: "/api/v1/namespaces?dryRun=All",
      body: {
        metadata: {
          name: "{ns}-z",
          labels: {
            "pod-security.kubernetes.io/enforce": "strict",
            "pod-security.kubernetes.io/warn-version": "1.2",
          },
        },
      },
    },
    code: 422,
    reason: "Invalid",
    message:
      'Namespace "{ns}-z" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]',
  },
  {
    row,
    name: "Pod Security labels are validated when they change",
    run: async (scene) => {
      assertAnswer(await label(scene, { audit: "none" }), {
        code: 422,
        message: `Namespace "${scene.ns}" is invalid: metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "none": must be one of privileged, baseline, restricted`,
      });
    },
  },
];
